import { countLabel } from '#app/lib/count-label.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** Points with their sign: "+1", "−10". */
export function amountLabel(delta: number): string {
  return delta > 0 ? `+${delta}` : `−${-delta}`;
}

/** The points that waiting changes will add and subtract: "+3", "−10", or both. */
export function pendingAmounts({ pendingEarned, pendingSpent }: PointsView): string[] {
  return [pendingEarned, -pendingSpent].filter((delta) => delta !== 0).map(amountLabel);
}

/** "+3 waiting to sync · 128 to spend". Pending earnings cannot be spent yet; pending costs are already subtracted. */
export function pendingLine(points: PointsView): string {
  return `${pendingAmounts(points).join(' ')} waiting to sync · ${points.spendable} to spend`;
}

/** The confirmed and pending points in words, for screen readers. */
export function pointsLabel(points: PointsView | null): string {
  if (points === null) return 'Points';
  const waiting = [
    ...(points.pendingEarned > 0 ? [`${points.pendingEarned} more`] : []),
    ...(points.pendingSpent > 0 ? [`${points.pendingSpent} less`] : []),
  ];
  const pending = waiting.length === 0 ? '' : `, ${waiting.join(' and ')} once everything is sent`;
  return `${countLabel(points.confirmed, 'point')}${pending}`;
}
