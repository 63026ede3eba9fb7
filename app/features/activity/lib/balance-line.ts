import type { ActivityEntry } from '#shared/activity/schema.ts';
import { DAY_MS } from '#shared/time.ts';

const LINE_MS = 30 * DAY_MS;

/** A point of the line: both figures from 0 to 1, `y` upwards. */
type Point = { x: number; y: number };

/**
 * The balance of the last 30 days as a stepped line, from `entries` (newest first) to `balance` at `nowMs`. It begins later
 * when the entries do not reach that far back, at `fromMs` (milliseconds since 1970); `isWhole` otherwise. Null without
 * entries.
 */
export function balanceLine(
  entries: readonly Pick<ActivityEntry, 'createdAt' | 'balance' | 'delta'>[],
  { balance, hasMore, nowMs }: { balance: number; hasMore: boolean; nowMs: number },
): { points: Point[]; fromMs: number; isWhole: boolean } | null {
  const recent = entries.filter(({ createdAt }) => Date.parse(createdAt) > nowMs - LINE_MS).reverse();
  const [oldest] = recent;
  const isWhole = !hasMore || recent.length < entries.length;
  const before = oldest === undefined ? balance : oldest.balance - oldest.delta;
  const fromMs = isWhole || oldest === undefined ? nowMs - LINE_MS : Date.parse(oldest.createdAt);
  if (entries.length === 0) return null;

  const values = [before, ...recent.map((entry) => entry.balance), balance];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const toX = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / Math.max(1, nowMs - fromMs)));
  const toY = (value: number) => (high === low ? 0.5 : (value - low) / (high - low));
  const points: Point[] = [{ x: 0, y: toY(before) }];
  let y = toY(before);
  const step = (x: number, value: number) => {
    points.push({ x, y });
    y = toY(value);
    points.push({ x, y });
  };
  for (const entry of recent) step(toX(Date.parse(entry.createdAt)), entry.balance);
  step(1, balance);
  return { points, fromMs, isWhole };
}
