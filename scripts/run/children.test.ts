import { once } from 'node:events';
import { expect, test } from 'vitest';
import { spawnNode } from './children.ts';

const CHILD_LIFETIME_MS = 20_000;

test('endWithProcess ends a child process when its parent process fails', async () => {
  const code = `
    import { endWithProcess, spawnNode } from '#scripts/run/children.ts';
    endWithProcess(spawnNode(['--eval', 'setTimeout(() => {}, ${CHILD_LIFETIME_MS})']));
    throw new Error('failed');`;
  const startedMs = performance.now();
  const parent = spawnNode(['--input-type=module', '--eval', code], { stdio: ['ignore', 'ignore', 'pipe'] });
  // Both processes have this pipe, so it is closed only when both have ended.
  parent.stderr?.resume();
  const [exitCode] = await once(parent, 'close');
  expect(exitCode).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(CHILD_LIFETIME_MS);
}, 30_000);
