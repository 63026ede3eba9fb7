import type { ReportDecision } from '#shared/admin/schema.ts';

/** The keys that decide about a reported poll, as shown on its buttons. */
export const REPORT_KEYS: Readonly<Record<ReportDecision, string>> = { keep: 'K', remove: 'R', suspend: 'S' };

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>;

/** The decision that a key press triggers; null for other keys, with a modifier key, and for repeats of a held key. */
export function actionOfKey({ key, ctrlKey, metaKey, altKey, repeat }: KeyPress): ReportDecision | null {
  if (ctrlKey || metaKey || altKey || repeat) return null;
  const decisions = Object.keys(REPORT_KEYS) as ReportDecision[];
  return decisions.find((decision) => REPORT_KEYS[decision] === key.toUpperCase()) ?? null;
}

/** Whether the shortcuts ignore a key press because another handler, or a form field or menu, uses it. */
export function isKeyHandledElsewhere({
  target,
  defaultPrevented,
}: Pick<KeyboardEvent, 'target' | 'defaultPrevented'>): boolean {
  if (defaultPrevented) return true;
  return target instanceof Element && target.closest('input, textarea, select, [popover]') !== null;
}

/**
 * The index of the row that shortcuts act on: the last focused one or, before any was focused, the first. -1 if the focused row
 * is gone, so that a decision about it cannot reach another row.
 */
export function activeIndexOf(rows: readonly { id: string }[], focusedId: string | null): number {
  return focusedId === null ? 0 : rows.findIndex(({ id }) => id === focusedId);
}

/**
 * The focused row after a decision about the row `decidedId`, which therefore disappears: the next one, or else the previous one.
 * If it was the only row, it remains the focused one, so that keys cannot reach a row that appears later. If it has already
 * disappeared, `focusedId` is returned.
 */
export function focusedIdAfter(
  rows: readonly { id: string }[],
  decidedId: string,
  focusedId: string | null,
): string | null {
  const index = rows.findIndex(({ id }) => id === decidedId);
  if (index === -1) return focusedId;
  return rows[index + 1]?.id ?? rows[index - 1]?.id ?? decidedId;
}
