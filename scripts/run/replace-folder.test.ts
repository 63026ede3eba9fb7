import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFolder } from './replace-folder.ts';

test('concurrent replacements of a folder all succeed, and one of the new folders remains, complete', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'this-or-that-replace-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const builds = Array.from({ length: 20 }, (_, index) => join(parent, `new-${index}`));
  for (const build of builds) {
    await mkdir(build);
    for (const file of ['index.html', 'main.js']) await writeFile(join(build, file), build);
  }
  await Promise.all(builds.map((build) => replaceFolder(build, join(parent, 'app'))));
  expect(await readdir(parent)).toEqual(['app']);
  const page = await readFile(join(parent, 'app', 'index.html'), 'utf8');
  expect(builds).toContain(page);
  expect(await readFile(join(parent, 'app', 'main.js'), 'utf8')).toBe(page);
});

test('a replacement that fails leaves the old folder, and nothing else', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'this-or-that-replace-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  await mkdir(join(parent, 'app'));
  await expect(replaceFolder(join(parent, 'missing'), join(parent, 'app'))).rejects.toThrow('ENOENT');
  expect(await readdir(parent)).toEqual(['app']);
});
