import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '#scripts/run/root.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** The same each time, so that the table is the same each time. */
const SEEDS = [1, 2, 3] as const;
const HISTORIES = process.env.FAULT_HISTORIES ?? '40';
const REASON_MAX_CHARS = 90;
const NOT_NOTICED = 'not noticed';

type Run = { isGreen: boolean; firstWords: string };

function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'this-or-that-mutation-'));
  execFileSync('git', ['checkout-index', '--all', `--prefix=${folder}/`], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Answers how to put it back. */
function takeOut(folder: string, { file, find, replace }: Mutation): () => void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(find)) throw new Error(`${file} no longer contains what is to be taken out`);
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
  const said = stdout + stderr;
  const reason = said.match(/^\+ +"(.* .*)",?$/m)?.[1] ?? said.match(/(?:Caused by|Error): (.*)/)?.[1] ?? '';
  const words = reason.replace(/^(?:run|device|killed-after)-\S+ (?:of \d+: )?/, '').replaceAll('|', '/');
  return { isGreen: status === 0, firstWords: words.slice(0, REASON_MAX_CHARS) };
}

function runHistories(folder: string): string {
  for (const seed of SEEDS) {
    const run = runFaults(folder, 'histories', { FAULT_HISTORIES: HISTORIES, FAULT_SEED: String(seed) });
    if (!run.isGreen) return `red, seed ${seed}`;
  }
  return NOT_NOTICED;
}

function checkUntouched(folder: string): void {
  for (const history of new Set(MUTATIONS.map((mutation) => mutation.history))) {
    const { isGreen, firstWords } = runFaults(folder, history);
    if (!isGreen) throw new Error(`${history} is red with all safeguards in place: ${firstWords}`);
  }
  const histories = runHistories(folder);
  if (histories !== NOT_NOTICED) throw new Error(`${histories}, with all safeguards in place`);
}

/**
 * Takes one safeguard at a time out of a copy of the project and runs the fault tests on it: the history that takes the
 * way it guards must go red, whatever chance does. Then random histories from a few fixed seeds are played until one of
 * them notices it too. Prints a Markdown table and answers whether each was noticed by its own history.
 */
export function checkSafeguards(): boolean {
  const rows: string[] = [];
  let missed = 0;
  // One copy for all: the project may change while this goes on.
  const folder = copyOfProject();
  try {
    checkUntouched(folder);
    for (const mutation of MUTATIONS) {
      const putBack = takeOut(folder, mutation);
      const own = runFaults(folder, mutation.history);
      if (own.isGreen) missed += 1;
      const notice = own.isGreen ? 'NOT NOTICED' : own.firstWords;
      rows.push(`| ${mutation.safeguard} | \`${mutation.file}\` | ${notice} | ${runHistories(folder)} |`);
      console.log(rows.at(-1));
      putBack();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const head = ['| Taken out | Of | Its own history says | Random histories |', '|---|---|---|---|'];
  console.log(['', ...head, ...rows].join('\n'));
  return missed === 0;
}
