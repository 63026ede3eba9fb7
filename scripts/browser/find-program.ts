import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether `path` is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folders in the PATH. */
export const pathFolders = () => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');

/** The path of the first of these programs that is found in `folders`, by default those in the PATH. */
export function findProgram(names: readonly string[], folders = pathFolders()): string | undefined {
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}
