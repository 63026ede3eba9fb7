import { beforeEach, expect, test, vi } from 'vitest';
import { openUserDb } from '#sync/client/db.ts';
import { json, noResponse } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { finishLogout, logOut } from './log-out.ts';
import { openLastUser, startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
/** The id is a prefix of the first user's, which must not matter for the keys of logouts (`logOut <user id> <uuid>`). */
const otherUser = sampleUser({ id: 700, username: 'ruth-a' });
const noteWaiting = vi.fn();
let tab: SessionHarness;
/** Lets the logout of `beforeEach` go on to the step that empties the database. */
let continueLogout: () => void;
let loggingOut: Promise<unknown>;

/** The numbers of polls, users and ops in a user's database. */
async function rowCounts(userId = user.id) {
  const db = openUserDb('test', userId);
  const counts = await Promise.all([db.polls.count(), db.user.count(), db.ops.count()]);
  db.close();
  return counts;
}

const countUnfinished = () => tab.context.device.entries.where('key').startsWith('logOut').count();

/** Starts a logout that discards waiting ops and stops before it empties the database. */
beforeEach(async () => {
  tab = sessionHarness();
  noteWaiting.mockReset();
  tab.context.deviceNote = { ...tab.context.deviceNote, noteWaiting };
  await startSession(tab.context, user);
  const { db } = tab.current();
  await db.polls.put(samplePoll());
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
  tab.answer(json(204, null));
  const continued = Promise.withResolvers<void>();
  continueLogout = continued.resolve;
  const transaction = db.transaction.bind(db);
  Object.assign(db, {
    transaction: (...args: Parameters<typeof transaction>) =>
      continued.promise.then(() => transaction(...args)),
  });
  loggingOut = logOut(tab.context, 'discard');
  await vi.waitFor(() => expect(tab.context.session.get().status).toBe('visitor'));
});

test('the next session check empties the database of an unfinished logout, even if the server cannot be notified', async () => {
  expect(await rowCounts()).toEqual([1, 1, 1]);
  tab.answer(noResponse);
  expect(await finishLogout(tab.context)).toBe(false);
  expect(await rowCounts()).toEqual([0, 0, 0]);
  expect(await countUnfinished()).toBe(0);
  expect(noteWaiting).toHaveBeenCalledExactlyOnceWith(user.id, 0);
});

test('an unfinished logout is finished before the next login of its user', async () => {
  await startSession(tab.context, user);
  expect(await tab.current().db.ops.count()).toBe(0);
  expect(await countUnfinished()).toBe(0);
});

test('an unfinished logout is finished before the cache of the last user is shown', async () => {
  // An earlier version of the app logs the user in without finishing the logout.
  await tab.context.device.entries.put({ key: 'lastUserId', value: user.id });
  await tab.context.device.entries.delete('signedOut');
  await openLastUser(tab.context);
  expect(tab.context.session.get().status).toBe('visitor');
  expect(await rowCounts()).toEqual([0, 0, 0]);
});

test('an unfinished logout does not affect another user', async () => {
  await startSession(tab.context, otherUser);
  expect(await countUnfinished()).toBe(1);
  await finishLogout(tab.context);
  expect(await rowCounts()).toEqual([0, 0, 0]);
  expect(await rowCounts(otherUser.id)).toEqual([0, 1, 0]);
  expect(noteWaiting).not.toHaveBeenCalled();
});

test('an unfinished logout deletes nothing that was stored after another tab had finished it', async () => {
  await finishLogout(tab.context);
  await startSession(tab.context, user);
  await queueVote(tab.current().db, { userId: user.id, pollId: POLL_ID, option: 2 }, 0);
  continueLogout();
  await loggingOut;
  expect(await rowCounts()).toEqual([0, 1, 1]);
});

test('an unfinished logout ends even if the database was deleted', async () => {
  const { device } = tab.context;
  await device.entries.put({ key: 'logOut 1 a', value: 1, logOut: { waiting: 'keep', shown: undefined } });
  await finishLogout(tab.context);
  expect(await countUnfinished()).toBe(0);
});
