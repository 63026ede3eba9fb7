import { readFile } from 'node:fs/promises';

/** A row of the table of benchmarks. */
export type Row = {
  /** What was measured, and its reference. A quick run finds the last result by this text. */
  metric: string;
  /** The result with its unit, usually a median, and that of the reference. */
  value: string;
  /** What is compared with the target: usually the ratio of the median to that of the reference. */
  comparedValue: number;
  target: { min: number } | { max: number } | null;
};

export type BenchOptions = {
  /** In each round, everything that is compared is measured in turn (`measureInTurns`). */
  rounds: number;
  /** The duration of each measurement of a rate. */
  seconds: number;
  /** If true, a round has fewer repetitions and shorter pauses, and Lighthouse does not measure the static pages. */
  isQuick: boolean;
};

/** For the figures in docs/performance.md. */
export const THOROUGH: BenchOptions = { rounds: 5, seconds: 5, isQuick: false };
/** Enough to detect that something became much slower. */
export const QUICK: BenchOptions = { rounds: 1, seconds: 1, isQuick: true };

/** Runs `run`; resolves with its duration in milliseconds. */
export async function measureMs(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

/** The resident memory of a process, or 0 if the system has no /proc. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}

/**
 * Measures each of `tasks` once per round, so that other load on the machine affects all of them equally. Resolves with the
 * results of each task.
 */
export async function measureInTurns<Name extends string, Result>(
  tasks: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const entries = Object.entries<() => Promise<Result>>(tasks);
  const results = new Map<string, Result[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of entries) results.get(name)?.push(await run());
  }
  return Object.fromEntries(results) as Record<Name, Result[]>;
}

/** Rounds to two decimals, without trailing zeros. */
const round = (value: number) => String(Number(value.toFixed(2)));

function compareWithTarget({ comparedValue, target }: Row): [target: string, isMet: boolean] | null {
  if (target === null) return null;
  return 'min' in target
    ? [`≥ ${round(target.min)}`, comparedValue >= target.min]
    : [`≤ ${round(target.max)}`, comparedValue <= target.max];
}

/** A Markdown table of the rows, which says whether each target is met. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const [target, isMet] = compareWithTarget(row) ?? ['', null];
    return `| ${row.metric} | ${row.value} | ${row.comparedValue.toFixed(2)} | ${target} | ${isMet === null ? '' : isMet ? 'yes' : 'no'} |`;
  });
  return [
    '| Metric | Median | Compared value | Target | Target met |',
    '|---|--:|--:|--:|---|',
    ...lines,
  ].join('\n');
}
