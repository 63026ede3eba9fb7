import { beforeEach, describe, expect, test } from 'vitest';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { openUserDb } from '#sync/client/db.ts';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { checkUser, endSession, followOtherTab, startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
const otherUser = sampleUser({ id: 7_001, username: 'ruth-a' });
let tab: SessionHarness;
let sent: TransportRequest[];

beforeEach(() => {
  tab = sessionHarness();
  sent = tab.answer(json(200, user));
});

/** Stores what another tab of the same browser stores when its user logs out. */
async function logOutElsewhere() {
  await tab.context.device.entries.put({ key: 'signedOut', value: 1 });
  await tab.context.device.entries.delete('lastUserId');
}

describe('a tab that is notified by another tab', () => {
  test('does nothing if the same user is logged in', async () => {
    await startSession(tab.context, user);
    sent.length = 0;
    const { generation } = tab.context;
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(sent).toHaveLength(0);
    expect(tab.context.generation).toBe(generation);
  });

  test('shows a name that was changed in the other tab', async () => {
    await startSession(tab.context, user);
    const renamed = { ...user, username: 'new-name', rev: user.rev + 1 };
    await tab.current().db.user.put(renamed);
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.current()).toMatchObject({ user: renamed, needsLogin: false });
  });

  test('checks the session if it was waiting for this login', async () => {
    await startSession(tab.context, user);
    const { db } = tab.current();
    await endSession(tab.context);
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.current()).toMatchObject({ needsLogin: false });
    expect(tab.current().db).toBe(db);
    expect(db.isOpen()).toBe(true);
  });

  test('shows no user after a logout and closes the database', async () => {
    await startSession(tab.context, user);
    const { db } = tab.current();
    const requestCount = sent.length;
    await logOutElsewhere();
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(db.isOpen()).toBe(false);
    expect(sent).toHaveLength(requestCount);
  });

  test('shows no user after a logout during a session check', async () => {
    const reply = json(200, user);
    tab.answer(async (request) => {
      await logOutElsewhere();
      return reply(request);
    });
    await checkUser(tab.context);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await tab.context.device.entries.get('lastUserId')).toBeUndefined();
    const db = openUserDb(tab.context.databasePrefix, user.id);
    expect(await db.user.count()).toBe(0);
  });

  test('shows no user after a logout, even if the last user is still stored', async () => {
    await startSession(tab.context, user);
    await tab.context.device.entries.put({ key: 'signedOut', value: 1 });
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('ignores the response to a session check from before the logout', async () => {
    await startSession(tab.context, user);
    const responseGate = Promise.withResolvers<void>();
    const requestSent = Promise.withResolvers<void>();
    const reply = json(200, user);
    tab.answer(async (request) => {
      requestSent.resolve();
      await responseGate.promise;
      return reply(request);
    });
    const checking = checkUser(tab.context);
    await requestSent.promise;
    await logOutElsewhere();
    await followOtherTab(tab.context);
    responseGate.resolve();
    await checking;
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await tab.entry('lastUserId')).toBeUndefined();
  });

  test('shows no user after a logout that has already reached the server', async () => {
    await startSession(tab.context, user);
    await tab.context.device.entries.delete('lastUserId');
    tab.answer(errorResponse('unauthenticated'));
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('remains logged in if the browser has evicted the stored login', async () => {
    await startSession(tab.context, user);
    await tab.context.device.entries.delete('lastUserId');
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.current()).toMatchObject({ user: { id: user.id }, needsLogin: false });
    expect(tab.current().db.isOpen()).toBe(true);
    expect(await tab.entry('lastUserId')).toBe(user.id);
  });

  test('shows the cache of another user before the server responds', async () => {
    await startSession(tab.context, user);
    const { db } = tab.current();
    await tab.context.device.entries.put({ key: 'lastUserId', value: otherUser.id });
    const otherDb = openUserDb('test', otherUser.id);
    await otherDb.user.put(otherUser);
    otherDb.close();
    sent = tab.answer(noResponse);
    expect(await followOtherTab(tab.context)).toBe(false);
    expect(tab.current()).toMatchObject({ user: { id: otherUser.id } });
    expect(db.isOpen()).toBe(false);
  });

  test('continues to show a visitor if nobody is logged in', async () => {
    tab.context.session.set({ status: 'visitor' });
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('shows a visitor after a logout while its first session check is running', async () => {
    await logOutElsewhere();
    tab.context.session.set({ status: 'loading' });
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('shows a visitor after a logout while its database is blocked', async () => {
    await logOutElsewhere();
    tab.context.session.set({ status: 'storage_blocked' });
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('asks the server who is logged in if the browser has evicted the stored login while its database was blocked', async () => {
    tab.context.session.set({ status: 'storage_blocked' });
    expect(await followOtherTab(tab.context)).toBe(true);
    expect(tab.current().user.id).toBe(user.id);
  });

  test('shows nothing until another user is known', async () => {
    await startSession(tab.context, user);
    await tab.context.device.entries.put({ key: 'lastUserId', value: otherUser.id });
    const statuses: string[] = [];
    tab.context.session.subscribe(() => statuses.push(tab.context.session.get().status));
    tab.answer(json(200, otherUser));
    await followOtherTab(tab.context);
    expect(statuses).toEqual(['loading', 'user']);
  });
});
