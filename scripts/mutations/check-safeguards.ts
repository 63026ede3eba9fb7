import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '#scripts/run/root.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** Fixed, so that the resulting table is reproducible. */
const SEEDS = [1, 2, 3] as const;
const HISTORIES = process.env.FAULT_HISTORIES ?? '40';
const REASON_MAX_CHARS = 90;
const NOT_DETECTED = 'not detected';

type Run = { passed: boolean; reason: string };

function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'this-or-that-mutation-'));
  execFileSync('git', ['checkout-index', '--all', `--prefix=${folder}/`], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Removes a safeguard from the copy; returns a function that restores it. */
function removeSafeguard(folder: string, { file, find, replace }: Mutation): () => void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(find)) throw new Error(`${file} does not contain the code to replace: ${find}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  return () => writeFileSync(path, source);
}

function runFaults(folder: string, filter: string, env: Record<string, string> = {}): Run {
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'faults', '--root', folder, filter];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  if (!/Tests {2}/.test(stdout)) throw new Error(`No test ran:\n${stdout}`);
  const output = stdout + stderr;
  // The first violation in the diff of a failed assertion, else an error's message, without the name of the device.
  const failure =
    output.match(/^\+ +"(.* .*)",?$/m)?.[1] ?? output.match(/(?:Caused by|Error): (.*)/)?.[1] ?? '';
  const reason = failure.replace(/^(?:run|device|killed-after)-\S+ (?:of \d+: )?/, '').replaceAll('|', '/');
  return { passed: status === 0, reason: reason.slice(0, REASON_MAX_CHARS) };
}

function runHistories(folder: string): string {
  for (const seed of SEEDS) {
    const run = runFaults(folder, 'histories', { FAULT_HISTORIES: HISTORIES, FAULT_SEED: String(seed) });
    if (!run.passed) return `detected with seed ${seed}`;
  }
  return NOT_DETECTED;
}

function checkUnchangedCopy(folder: string): void {
  for (const history of new Set(MUTATIONS.map((mutation) => mutation.history))) {
    const { passed, reason } = runFaults(folder, history);
    if (!passed) throw new Error(`${history} fails with all safeguards in place: ${reason}`);
  }
  const histories = runHistories(folder);
  if (histories !== NOT_DETECTED)
    throw new Error(`Random histories fail with all safeguards in place: ${histories}`);
}

/**
 * Removes one safeguard at a time from a copy of the project and runs the fault tests: the history that is written for this
 * safeguard must fail. Then runs random histories from a few fixed seeds until one of them fails too. Prints a Markdown table,
 * and returns whether each removal was detected by its own history.
 */
export function checkSafeguards(): boolean {
  const rows: string[] = [];
  let undetected = 0;
  // All runs use one copy, since the project may change in the meantime.
  const folder = copyProject();
  try {
    checkUnchangedCopy(folder);
    for (const mutation of MUTATIONS) {
      const restore = removeSafeguard(folder, mutation);
      const ownHistory = runFaults(folder, mutation.history);
      if (ownHistory.passed) undetected += 1;
      const failure = ownHistory.passed ? 'NOT DETECTED' : ownHistory.reason;
      rows.push(`| ${mutation.safeguard} | \`${mutation.file}\` | ${failure} | ${runHistories(folder)} |`);
      console.log(rows.at(-1));
      restore();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const head = [
    '| Removed safeguard | File | Failure of its own history | Random histories |',
    '|---|---|---|---|',
  ];
  console.log(['', ...head, ...rows].join('\n'));
  return undetected === 0;
}
