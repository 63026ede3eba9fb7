import { trackEvent } from '#app/lib/analytics/track-event.ts';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { LONG_TIMEOUT_MS } from '#app/lib/api/long-timeout.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import type { User } from '#shared/accounts/schema.ts';
import * as calls from '#shared/admin/contract.ts';
import type { ReportAction, ReportedPoll } from '#shared/admin/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { UNDO_WITHIN_MS } from '#shared/reports/constants.ts';
import { adminRequest } from './queries.ts';

/** The user or poll after a change. Null if it no longer exists, or if the request failed, whose effect may be unknown. */
export type Changed<Item> = Item | null;

export function trackAdminAction(name: string): void {
  trackEvent({ name, path: location.pathname, props: { category: 'Admin' } });
}

/** The message for a failed request: the server's, or else `fallback` with the status; for other errors `errorMessage`. */
export function adminErrorMessage(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return errorMessage(error);
  return error.serverMessage ?? `${fallback}. Status: ${error.status}`;
}

/** Shows the outcome of a change as a toast and tracks it. `name` is its analytics event, such as "Delete User". Never throws. */
async function showOutcome<Body extends { message: string }, Item>(
  target: `user ${number}` | `poll ${string}`,
  name: string,
  request: Promise<Body>,
  itemOf: (body: Body) => Changed<Item>,
): Promise<Changed<Item>> {
  const topic = `admin ${target}` as const;
  dismissTopic(topic);
  try {
    const body = await request;
    showToast('success', body.message, null, { topic });
    trackAdminAction(name);
    return itemOf(body);
  } catch (error) {
    const failure = `Failed to ${name.toLowerCase()}`;
    showToast('error', failure, adminErrorMessage(error, failure), { topic });
    return null;
  }
}

export function deleteUser({ id }: User): Promise<Changed<User>> {
  const request = adminRequest(calls.deleteUser, { params: { id }, timeoutMs: LONG_TIMEOUT_MS });
  return showOutcome(`user ${id}`, 'Delete User', request, () => null);
}

export function setUserSuspended({ id }: User, isSuspended: boolean): Promise<Changed<User>> {
  const name = isSuspended ? 'Suspend User' : 'Unsuspend User';
  const request = adminRequest(isSuspended ? calls.suspendUser : calls.unsuspendUser, { params: { id } });
  return showOutcome(`user ${id}`, name, request, ({ user }) => user);
}

export function deletePoll({ id }: Poll): Promise<Changed<Poll>> {
  const request = adminRequest(calls.deletePoll, { params: { id }, timeoutMs: LONG_TIMEOUT_MS });
  return showOutcome(`poll ${id}`, 'Delete Poll', request, () => null);
}

export function setPollActive({ id }: Poll, isActive: boolean): Promise<Changed<Poll>> {
  const name = isActive ? 'Activate Poll' : 'Deactivate Poll';
  const request = adminRequest(isActive ? calls.activatePoll : calls.deactivatePoll, { params: { id } });
  return showOutcome(`poll ${id}`, name, request, ({ poll }) => poll);
}

/** The analytics events, which also name the action in the title of a failure. */
const REPORT_EVENTS: Readonly<Record<ReportAction, string>> = {
  keep: 'Keep Poll',
  remove: 'Remove Poll',
  suspend: 'Suspend Maker',
  undo: 'Undo Decision',
};

/**
 * Sends a decision about a reported poll, or its undo, and shows the outcome as a toast. If the decision can be undone, the toast
 * has a button that calls `onUndo`. For a decision, returns true if the poll certainly needs no further one, because it has a
 * decision now or is gone. Never throws.
 */
export async function decideReport(
  { id, reports }: Pick<ReportedPoll, 'id' | 'reports'>,
  action: ReportAction,
  onUndo?: () => void,
): Promise<boolean> {
  const topic = `admin poll ${id}` as const;
  const name = REPORT_EVENTS[action];
  dismissTopic(topic);
  try {
    const options = { params: { id }, json: { action, reports }, timeoutMs: LONG_TIMEOUT_MS };
    const { message } = await adminRequest(calls.decideReport, options);
    const canUndo = action === 'keep' || action === 'remove';
    const undoButton = onUndo && { action: { label: 'Undo', run: onUndo }, durationMs: UNDO_WITHIN_MS };
    showToast('success', message, null, { topic, ...(canUndo && undoButton) });
    trackAdminAction(name);
    return true;
  } catch (error) {
    const failure = `Failed to ${name.toLowerCase()}`;
    showToast('error', failure, adminErrorMessage(error, failure), { topic });
    const code = codeOf(error);
    // For `suspend` it may be the maker who no longer exists.
    return code === 'already_decided' || (code === 'not_found' && action !== 'suspend');
  }
}
