import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './run/root.ts';

/**
 * Takes one safeguard at a time out of a copy of the project and runs the fault tests on it: each must go red.
 * Prints a Markdown table; exits with 1 when a mutation was not noticed.
 */

type Mutation = { safeguard: string; file: string; find: string; replace: string };

const MUTATIONS: readonly Mutation[] = [
  {
    safeguard: 'receipt (server)',
    file: 'api/services/receipts.ts',
    find: '  if (receipt === null) return null;\n',
    replace: '  if (receipt !== null || receipt === null) return null;\n',
  },
  {
    safeguard: 'lease (device)',
    file: 'sync/client/drain.ts',
    find: "return op.state === 'sending' && isDue(op.leaseUntil, nowMs, LEASE_MS);",
    replace: "return op.state === 'sending' && LEASE_MS > 0;",
  },
  {
    safeguard: 'revision check (device)',
    file: 'sync/client/cache.ts',
    find: 'if (incoming.rev < cached.rev) return cached;',
    replace: '',
  },
  {
    safeguard: 'actor check (server)',
    file: 'api/middleware/session.ts',
    find: "throw new AppError('actor_mismatch');",
    replace: "c.header('X-Unchecked', '1');",
  },
  {
    safeguard: 'savepoint (server)',
    file: 'api/features/polls/store-poll.ts',
    find: 'await tx.sql.savepoint(async (sql) => {',
    replace: 'await (async (run: (sql: typeof tx.sql) => Promise<void>) => run(tx.sql))(async (sql) => {',
  },
];

const HISTORIES = process.env.FAULT_HISTORIES ?? '100';

function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'this-or-that-mutation-'));
  execFileSync('git', ['checkout-index', '--all', `--prefix=${folder}/`], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function runFaults(folder: string): { isGreen: boolean; firstWords: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'faults',
      '--root',
      folder,
      'histories',
      'killed',
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FAULT_HISTORIES: HISTORIES, FAULT_SHRINK: 'off', NO_COLOR: '1' },
    },
  );
  if (!/Tests {2}/.test(stdout)) throw new Error(`No test ran:\n${stdout}`);
  const said = stdout + stderr;
  const reason = said.match(/^\+ +"(.*)",?$/m)?.[1] ?? said.match(/(?:Caused by|Error): (.*)/)?.[1] ?? '';
  return { isGreen: status === 0, firstWords: reason.replaceAll('|', '/').slice(0, 100) };
}

const rows: string[] = [];
let missed = 0;
for (const { safeguard, file, find, replace } of MUTATIONS) {
  const folder = copyOfProject();
  try {
    const path = join(folder, file);
    const source = readFileSync(path, 'utf8');
    if (!source.includes(find)) throw new Error(`${file} no longer contains what is to be taken out`);
    writeFileSync(path, source.replace(find, replace));
    const { isGreen, firstWords } = runFaults(folder);
    if (isGreen) missed += 1;
    rows.push(`| ${safeguard} | \`${dirname(file)}\` | ${isGreen ? 'NOT NOTICED' : 'red'} | ${firstWords} |`);
    console.log(rows.at(-1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(
  ['', '| taken out | of | fault tests | first thing said |', '|---|---|---|---|', ...rows].join('\n'),
);
process.exit(missed === 0 ? 0 : 1);
