import { countEvent } from '#app/lib/analytics/count-event.ts';
import { request } from '#app/lib/api/api-client.ts';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import type { User } from '#shared/accounts/schema.ts';
import * as calls from '#shared/admin/contract.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { asAdmin, LONG_TIMEOUT_MS } from './queries.ts';

/** Counts what an administrator did, if that is configured. */
export function countAdminAction(name: string): void {
  countEvent({ name, path: location.pathname, props: { category: 'Admin' } });
}

/** The server's own words for what it refused; where it has none, `failure` with the status. */
export function refusalWords(error: unknown, failure: string): string {
  if (!(error instanceof ApiError)) return errorMessage(error);
  return error.serverMessage ?? `${failure}. Status: ${error.status}`;
}

/** Does one thing and says how it went; null when it failed, `gone` when there is nothing to do it to any more. */
async function tell<Shape extends { message: string }>(
  /** Whose fate it is: a message about it takes the place of the one before. */
  target: string,
  name: string,
  failure: string,
  act: () => Promise<Shape>,
): Promise<Shape | 'gone' | null> {
  const topic = `admin ${target}` as const;
  dismissTopic(topic);
  try {
    const answer = await act();
    showToast('good', answer.message, null, topic);
    countAdminAction(name);
    return answer;
  } catch (error) {
    showToast('bad', failure, refusalWords(error, failure), topic);
    return codeOf(error) === 'not_found' ? 'gone' : null;
  }
}

/** Deletes a user; true once there is none. */
export async function deleteUser({ id }: User): Promise<boolean> {
  const answer = await tell(`user ${id}`, 'Delete User', 'Failed to delete user', () =>
    asAdmin(() => request(calls.deleteUser, { params: { id }, timeoutMs: LONG_TIMEOUT_MS })),
  );
  return answer !== null;
}

/** Suspends a user, or ends the suspension; answers the user as they are then, null when that failed. */
export async function setSuspended({ id }: User, isSuspended: boolean): Promise<User | 'gone' | null> {
  const verb = isSuspended ? 'suspend' : 'unsuspend';
  const call = isSuspended ? calls.suspendUser : calls.unsuspendUser;
  const name = isSuspended ? 'Suspend User' : 'Unsuspend User';
  const answer = await tell(`user ${id}`, name, `Failed to ${verb} user`, () =>
    asAdmin(() => request(call, { params: { id } })),
  );
  return answer === null || answer === 'gone' ? answer : answer.user;
}

/** Deletes a poll; true once there is none. */
export async function deletePoll({ id }: Poll): Promise<boolean> {
  const answer = await tell(`poll ${id}`, 'Delete Poll', 'Failed to delete poll', () =>
    asAdmin(() => request(calls.deletePoll, { params: { id }, timeoutMs: LONG_TIMEOUT_MS })),
  );
  return answer !== null;
}

/** Takes a poll out of the feed, or puts it back; answers the poll as it is then, null when that failed. */
export async function setActive({ id }: Poll, isActive: boolean): Promise<Poll | 'gone' | null> {
  const verb = isActive ? 'activate' : 'deactivate';
  const call = isActive ? calls.activatePoll : calls.deactivatePoll;
  const name = isActive ? 'Activate Poll' : 'Deactivate Poll';
  const answer = await tell(`poll ${id}`, name, `Failed to ${verb} poll`, () =>
    asAdmin(() => request(call, { params: { id } })),
  );
  return answer === null || answer === 'gone' ? answer : answer.poll;
}
