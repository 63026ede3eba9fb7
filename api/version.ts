import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The version of this release. */
export async function readVersion(): Promise<string> {
  const path = join(import.meta.dirname, '..', 'package.json');
  const manifest: { version: string } = JSON.parse(await readFile(path, 'utf8'));
  return manifest.version;
}
