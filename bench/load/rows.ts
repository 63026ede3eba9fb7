/** One line of the table of benchmarks. */
export type Row = {
  /** What was measured, and what it is compared with. */
  metric: string;
  /** The median with its unit. */
  value: string;
  /** The figure that the target is about: mostly the median ÷ the reference's. */
  figure: number;
  target: { min: number } | { max: number } | null;
};

/**
 * How often each figure is measured in turn with the others, and for how many seconds when it is a rate. `isQuick`: with as few
 * repetitions in a round as give a figure at all.
 */
export type BenchOptions = { rounds: number; seconds: number; isQuick: boolean };

/** For figures to be written down. */
export const THOROUGH: BenchOptions = { rounds: 5, seconds: 5, isQuick: false };
/** Enough to see that something became much slower. */
export const QUICK: BenchOptions = { rounds: 1, seconds: 1, isQuick: true };

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** How long `run` takes, in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/**
 * Takes turns: measures each of `tasks` once a round, so that what slows the machine down meanwhile slows all of them down.
 * Resolves with the results of each.
 */
export async function inTurn<Name extends string, Result>(
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

/** To two decimals, without zeros at the end. */
const round = (value: number) => String(Number(value.toFixed(2)));

function judge({ figure, target }: Row): [target: string, holds: boolean] | null {
  if (target === null) return null;
  return 'min' in target
    ? [`≥ ${round(target.min)}`, figure >= target.min]
    : [`≤ ${round(target.max)}`, figure <= target.max];
}

/** A Markdown table of rows, each judged by its target if it has one. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const [target, holds] = judge(row) ?? ['', null];
    return `| ${row.metric} | ${row.value} | ${row.figure.toFixed(2)} | ${target} | ${holds === null ? '' : holds ? 'yes' : 'no'} |`;
  });
  return ['| Metric | Median | Figure | Target | Holds |', '|---|--:|--:|--:|---|', ...lines].join('\n');
}
