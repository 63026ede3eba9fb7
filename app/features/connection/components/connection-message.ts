import { countLabel } from '#app/lib/count-label.ts';
import { HEALTH_ATTEMPTS_MAX } from '#shared/connection.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import { isPostponed, postponedOps } from '#sync/client/outbox/retry.ts';
import type { Op } from '#sync/operations/registry.ts';

/** The texts of the connection card. `outbox` is the text of its link to the outbox; null if it has no link. */
export type ConnectionMessage = { title: string; text: string | null; outbox: string | null };

type Outbox = { needsDecision: readonly Op[]; waiting: readonly Op[] };

/** Numbers of changes: refused, waiting to be sent, and (a part of these) waiting even once the connection is restored. */
type Counts = { needsDecision: number; waiting: number; postponed: number };

/** Counts the changes of the outbox for the connection card. */
export function countChanges({ needsDecision, waiting }: Outbox): Counts {
  // Once restored, a poll whose upload keeps failing is retried at once, unless it has a `lastError`: the server's reason to wait.
  const postponed = postponedOps(waiting, (op) => isPostponed(op) && op.lastError !== null);
  return { needsDecision: needsDecision.length, waiting: waiting.length, postponed: postponed.length };
}

/** The message for `state`; null when there is no card to show. `isLoggedIn` is false while changes wait for a login. */
export function connectionMessage(
  state: ConnectionState,
  counts: Counts,
  isLoggedIn: boolean,
): ConnectionMessage | null {
  if (state.phase === 'checking' || state.phase === 'connected') return null;
  if (state.phase === 'restored') {
    const message = isLoggedIn ? restoredMessage(counts) : { text: null, outbox: null };
    return { title: 'Connection Restored', ...message };
  }
  const outbox = counts.waiting === 0 ? null : `${countLabel(counts.waiting, 'change')} waiting`;
  if (state.phase === 'failed') {
    const text = 'Unable to connect to the server. Please try refreshing the page.';
    return { title: 'Connection Failed', text, outbox };
  }
  const text =
    state.attempt === 0 ? 'Reconnecting' : `Reconnecting, attempt ${state.attempt} of ${HEALTH_ATTEMPTS_MAX}`;
  return { title: 'Connection Issue', text, outbox };
}

function restoredMessage({ needsDecision, waiting, postponed }: Counts): Omit<ConnectionMessage, 'title'> {
  const sending = waiting - postponed;
  if (sending > 0) return { text: `Sending ${countLabel(sending, 'change')} now.`, outbox: null };
  if (needsDecision > 0)
    return { text: 'Some changes were refused', outbox: `${countLabel(needsDecision, 'change')} to review` };
  if (postponed === 0) return { text: 'Everything has been sent.', outbox: null };
  return { text: 'Some changes cannot be sent yet', outbox: `${countLabel(postponed, 'change')} waiting` };
}
