import type { ActivityEntry } from '#shared/activity/schema.ts';
import { DAY_MS } from '#shared/time.ts';

const PERIOD_MS = 30 * DAY_MS;

/** At `x` the line steps to `y`. Both are from 0 to 1; `y` grows upwards. */
type Point = { x: number; y: number };

/**
 * The balance of the last 30 days as a stepped line, from `entries` (newest first) to `balance` at `nowMs`. `isFullPeriod` is
 * false if the entries do not reach that far back, because the account is new or older entries are not loaded: the line then
 * starts at the oldest entry. `fromMs` is the start of the line in milliseconds since 1970. Returns null without entries.
 */
export function balanceLine(
  entries: readonly Pick<ActivityEntry, 'createdAt' | 'balance' | 'delta'>[],
  { balance, nowMs }: { balance: number; nowMs: number },
): { points: Point[]; fromMs: number; isFullPeriod: boolean } | null {
  const oldest = entries.at(-1);
  if (oldest === undefined) return null;
  const startMs = nowMs - PERIOD_MS;
  const isFullPeriod = Date.parse(oldest.createdAt) <= startMs;
  const fromMs = isFullPeriod ? startMs : Date.parse(oldest.createdAt);
  const recent = entries.filter(({ createdAt }) => Date.parse(createdAt) > fromMs).reverse();
  const startBalance = recent[0] === undefined ? balance : recent[0].balance - recent[0].delta;

  const values = [startBalance, ...recent.map((entry) => entry.balance), balance];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const toX = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / Math.max(1, nowMs - fromMs)));
  const toY = (value: number) => (high === low ? 0.5 : (value - low) / (high - low));
  const points = [
    { x: 0, y: toY(startBalance) },
    ...recent.map((entry) => ({ x: toX(Date.parse(entry.createdAt)), y: toY(entry.balance) })),
    { x: 1, y: toY(balance) },
  ];
  return { points, fromMs, isFullPeriod };
}
