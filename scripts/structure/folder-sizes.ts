import { dirname } from 'node:path/posix';

const COUNTED = /^(?:shared|sync|api|app)\/.+(?<!\.test)\.tsx?$/;
/** "About fifteen": one more may wait until its subject is clear. */
const FILES_MAX = 16;

/** The folders of the product that have too many files, tests not counted: each with what to do about it. */
export function crowdedFolders(paths: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (COUNTED.test(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder} has ${count} files: cut it by subject into folders`);
}
