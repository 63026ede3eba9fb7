/** The quantile of `values` at `share` (0 to 1); 0.5 is the median. NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const medianRate = (results: readonly { perSecond: number }[]): number =>
  median(results.map(({ perSecond }) => perSecond));
