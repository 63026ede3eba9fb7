import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DIST, DIST_APP, ROOT } from './root.ts';

const STAMP = join(DIST, 'build-stamp.json');
const INPUT_FOLDERS = ['app', 'shared', 'sync', 'scripts/run'];
const INPUT_FILES = [
  'scripts/build.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'manifest.webmanifest',
];

function* filesBelow(path: string): Generator<string> {
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) yield* filesBelow(child);
    else yield child;
  }
}

function inputPaths(): string[] {
  const paths = INPUT_FOLDERS.flatMap((name) => [...filesBelow(join(ROOT, name))]);
  return [...paths.map((path) => relative(ROOT, path)), ...INPUT_FILES].filter(
    (path) => !/\.test\.tsx?$|[\\/]testing[\\/]/.test(path) && existsSync(join(ROOT, path)),
  );
}

/** A hash of the names and contents of all files that a build reads. */
export function hashInputs(): string {
  const hash = createHash('sha256');
  for (const path of inputPaths()) {
    hash.update(`${path}\0`).update(
      createHash('sha256')
        .update(readFileSync(join(ROOT, path)))
        .digest(),
    );
  }
  return hash.digest('hex');
}

type Stamp = { inputsHash: string; files: string[] };

function readStamp(): Stamp | null {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp;
  } catch {
    return null;
  }
}

/** Whether the last build was completed from these inputs, and all of its files still exist. */
export function isBuildCurrent(inputsHash = hashInputs()): boolean {
  const stamp = readStamp();
  if (stamp?.inputsHash !== inputsHash) return false;
  return stamp.files.every((name) => existsSync(join(DIST_APP, name)));
}

/** Marks the build as complete. Call this last, so that an interrupted build does not count as current. */
export function writeStamp(inputsHash: string): void {
  const files = [...filesBelow(DIST_APP)].map((path) => relative(DIST_APP, path));
  writeFileSync(STAMP, JSON.stringify({ inputsHash, files } satisfies Stamp));
}
