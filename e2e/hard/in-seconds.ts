/** A duration in seconds, with one decimal. */
export const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1);
