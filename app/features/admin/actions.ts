import { trackEvent } from '#app/lib/analytics/track-event.ts';
import { request } from '#app/lib/api/api-client.ts';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import type { User } from '#shared/accounts/schema.ts';
import * as calls from '#shared/admin/contract.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { asAdmin, LONG_TIMEOUT_MS } from './queries.ts';

/** Sends an analytics event for an administrator's action. */
export function trackAdminAction(name: string): void {
  trackEvent({ name, path: location.pathname, props: { category: 'Admin' } });
}

/** The server's message for an error, or else `fallback` with the status. */
export function adminErrorMessage(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return errorMessage(error);
  return error.serverMessage ?? `${fallback}. Status: ${error.status}`;
}

/** Sends a request and shows its outcome as a toast; null when it failed, `gone` when its `target` no longer exists. */
async function requestWithToast<Answer extends { message: string }>(
  target: string,
  eventName: string,
  failure: string,
  send: () => Promise<Answer>,
): Promise<Answer | 'gone' | null> {
  const topic = `admin ${target}` as const;
  dismissTopic(topic);
  try {
    const answer = await asAdmin(send);
    showToast('success', answer.message, null, topic);
    trackAdminAction(eventName);
    return answer;
  } catch (error) {
    showToast('error', failure, adminErrorMessage(error, failure), topic);
    return codeOf(error) === 'not_found' ? 'gone' : null;
  }
}

/** Returns whether the user no longer exists. */
export async function deleteUser({ id }: User): Promise<boolean> {
  const answer = await requestWithToast(`user ${id}`, 'Delete User', 'Failed to delete user', () =>
    request(calls.deleteUser, { params: { id }, timeoutMs: LONG_TIMEOUT_MS }),
  );
  return answer !== null;
}

/** Returns the changed user; null when the request failed. */
export async function setSuspended({ id }: User, isSuspended: boolean): Promise<User | 'gone' | null> {
  const verb = isSuspended ? 'suspend' : 'unsuspend';
  const call = isSuspended ? calls.suspendUser : calls.unsuspendUser;
  const eventName = isSuspended ? 'Suspend User' : 'Unsuspend User';
  const answer = await requestWithToast(`user ${id}`, eventName, `Failed to ${verb} user`, () =>
    request(call, { params: { id } }),
  );
  return answer === null || answer === 'gone' ? answer : answer.user;
}

/** Returns whether the poll no longer exists. */
export async function deletePoll({ id }: Poll): Promise<boolean> {
  const answer = await requestWithToast(`poll ${id}`, 'Delete Poll', 'Failed to delete poll', () =>
    request(calls.deletePoll, { params: { id }, timeoutMs: LONG_TIMEOUT_MS }),
  );
  return answer !== null;
}

/** Returns the changed poll; null when the request failed. */
export async function setActive({ id }: Poll, isActive: boolean): Promise<Poll | 'gone' | null> {
  const verb = isActive ? 'activate' : 'deactivate';
  const call = isActive ? calls.activatePoll : calls.deactivatePoll;
  const eventName = isActive ? 'Activate Poll' : 'Deactivate Poll';
  const answer = await requestWithToast(`poll ${id}`, eventName, `Failed to ${verb} poll`, () =>
    request(call, { params: { id } }),
  );
  return answer === null || answer === 'gone' ? answer : answer.poll;
}
