import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { FolderInUseError, lockFolder } from './folder-lock.ts';

const folder = await mkdtemp(join(tmpdir(), 'lock-'));
afterAll(() => rm(folder, { recursive: true }));

const LOCK_MODULE = fileURLToPath(new URL('./folder-lock.ts', import.meta.url));

test('a locked folder cannot be locked again until it is unlocked', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUseError);
  unlock();
  lockFolder(folder)();
});

test('a process holds its lock until it is killed, even if it does not keep `unlock`, and leaves no stale lock', async () => {
  const script = `import { lockFolder } from ${JSON.stringify(LOCK_MODULE)};
    lockFolder(${JSON.stringify(folder)}); gc(); console.log('locked'); setInterval(() => {}, 1000);`;
  const lockingProcess = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
  await once(lockingProcess.stdout, 'data');
  expect(() => lockFolder(folder)).toThrow(`Another process is using the database in ${folder}.`);

  lockingProcess.kill('SIGKILL');
  await once(lockingProcess, 'exit');
  lockFolder(folder)();
});
