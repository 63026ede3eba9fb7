import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBundle } from './bundle.ts';
import { benchDeck } from './deck.ts';
import { benchDrain } from './drain.ts';
import { benchEmbedded } from './embedded.ts';
import { benchFeed } from './feed.ts';
import { benchGrowth } from './growth.ts';
import { benchImage } from './image.ts';
import { benchLighthouse } from './lighthouse.ts';
import { type BenchOptions, measureMs, QUICK, type Row, THOROUGH, toTable } from './load/measurements.ts';
import { benchLogin } from './login.ts';
import { benchOffline } from './offline.ts';
import { benchSockets } from './socket.ts';
import { benchStatic } from './static.ts';
import { benchVotes } from './vote.ts';
import { benchVotePaint } from './vote-paint.ts';

/**
 * Runs the benchmarks named on the command line, or all, and prints a table. A full run of all benchmarks writes the table to
 * docs/performance.md. `--quick` measures fewer and shorter rounds, and compares each figure with that table.
 */

const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<Row[]>>> = {
  vote: benchVotes,
  feed: benchFeed,
  static: benchStatic,
  bundle: benchBundle,
  login: benchLogin,
  pglite: benchEmbedded,
  image: benchImage,
  socket: benchSockets,
  drain: benchDrain,
  growth: benchGrowth,
  'vote-paint': benchVotePaint,
  deck: benchDeck,
  offline: benchOffline,
  lighthouse: benchLighthouse,
};
/** Skipped by `--quick`, since seeding a database with a million polls takes minutes. */
const SLOW: ReadonlySet<string> = new Set(['growth']);
const DOCUMENT = join(import.meta.dirname, '..', 'docs', 'performance.md');
const SECTION = /(<!-- benchmarks -->\n)[\s\S]*?(<!-- \/benchmarks -->)/;

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const defaultNames = Object.keys(BENCHMARKS).filter((name) => !values.quick || !SLOW.has(name));
const names = positionals.length === 0 ? defaultNames : positionals;
const rows: Row[] = [];
for (const name of names) {
  const bench = BENCHMARKS[name];
  if (bench === undefined)
    throw new Error(`Unknown benchmark ${name}: use ${Object.keys(BENCHMARKS).join(', ')}`);
  const durationMs = await measureMs(async () => {
    const newRows = await bench(values.quick ? QUICK : THOROUGH);
    for (const { metric, value } of newRows) console.log(`${metric}: ${value}`);
    rows.push(...newRows);
  });
  console.log(`(${name}: ${(durationMs / 1000).toFixed(0)} s)`);
}
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`;
const table = `${new Date().toISOString().slice(0, 10)}, ${machine}\n\n${toTable(rows)}`;
console.log(`\n${table}`);

const text = await readFile(DOCUMENT, 'utf8');
if (values.quick) console.log(`\n${compare(text)}`);
else if (positionals.length === 0) {
  await writeFile(
    DOCUMENT,
    text.replace(SECTION, (_, begin, end) => `${begin}\n${table}\n\n${end}`),
  );
}

/** The ratio of each row's compared value to that of the last full run. */
function compare(document: string): string {
  const lines = rows.map(({ metric, comparedValue }) => {
    const lastRow = document.split('\n').find((line) => line.startsWith(`| ${metric} |`));
    const [, , , lastValue] = lastRow?.split('|') ?? [];
    // Avoids 0 ÷ 0.
    const ratio = comparedValue === Number(lastValue) ? 1 : comparedValue / Number(lastValue);
    return `${metric}: ${lastValue === undefined ? 'new' : `${ratio.toFixed(2)} of the last full run`}`;
  });
  return lines.join('\n');
}
