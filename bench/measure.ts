/** How long something took in milliseconds, again and again. */
export type Sample = { name: string; ms: number[] };

const WARM_UP_ROUNDS = 3;

/** Does all of `tasks` in turn, `rounds` times: what slows the machine down meanwhile slows all of them down. */
export async function measureInTurn(
  tasks: readonly { name: string; run: () => Promise<void> }[],
  rounds: number,
): Promise<Sample[]> {
  const samples = tasks.map(({ name }): Sample => ({ name, ms: [] }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const startMs = performance.now();
      await task.run();
      if (round >= 0) samples[index]?.ms.push(performance.now() - startMs);
    }
  }
  return samples;
}

/** The value below which `share` (0 to 1) of the measurements lie. */
export function quantile({ ms }: Sample, share: number): number {
  const sorted = ms.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A Markdown table, each row compared with the median of `reference`. */
export function toTable(samples: readonly Sample[], reference: Sample): string {
  const base = quantile(reference, 0.5);
  const rows = samples.map((sample) => {
    const median = quantile(sample, 0.5);
    const times = [quantile(sample, 0), median, quantile(sample, 0.95), median / base];
    const figures = times.map((figure) => figure.toFixed(1));
    return `| ${sample.name} | ${figures.join(' | ')} |`;
  });
  return [
    '| Call | fastest, ms | median, ms | p95, ms | median ÷ reference |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}
