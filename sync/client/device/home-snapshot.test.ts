import { beforeEach, expect, test, vi } from 'vitest';
import { openDeviceDb } from '#sync/client/db.ts';
import type { SmallOpInput } from '#sync/operations/registry.ts';
import { type EngineHarness, engineHarness } from '#sync/testing/engine-harness.ts';
import { json } from '#sync/testing/fake-transport.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** The stored snapshot; `value` is the id of its user. */
async function storedSnapshot(): Promise<{ value: number; html?: string; look?: string } | undefined> {
  const db = openDeviceDb('this-or-that');
  try {
    return await db.entries.get('homeSnapshot');
  } finally {
    db.close();
  }
}

async function engineWithSnapshot() {
  const engine = device.newEngine();
  await engine.start();
  await engine.keepHomeSnapshot(device.serverUser.id, '<p>A poll</p>', 'phone');
  expect(await storedSnapshot()).toMatchObject({
    value: device.serverUser.id,
    html: '<p>A poll</p>',
    look: 'phone',
  });
  return engine;
}

test('the snapshot is kept for the next start of the same user', async () => {
  await engineWithSnapshot();
  await device.newEngine().start();
  expect(await storedSnapshot()).toBeDefined();
});

test('a logout deletes the snapshot even if the logout has not reached the server', async () => {
  const engine = await engineWithSnapshot();
  device.routes = {};
  await engine.logOut('keep');
  expect(await storedSnapshot()).toBeUndefined();
});

test('a tab that was not notified of a logout stores no snapshot', async () => {
  const otherTab = device.newEngine({ tabs: { announce() {}, listen() {} } });
  await otherTab.start();
  const engine = await engineWithSnapshot();
  await engine.logOut('keep');
  expect(otherTab.session.get().status).toBe('user');
  await otherTab.keepHomeSnapshot(device.serverUser.id, '<p>A poll</p>', 'phone');
  expect(await storedSnapshot()).toBeUndefined();
});

test('the snapshot is deleted when another user logs in', async () => {
  const engine = await engineWithSnapshot();
  const otherUser = sampleUser({ id: device.serverUser.id + 1 });
  device.routes['GET /api/user'] = json(200, otherUser);
  await engine.setUser(otherUser);
  expect(await storedSnapshot()).toBeUndefined();
});

test.each([
  ['was restored', {}],
  ['was set up from scratch', { createdAt: '2024-02-01T08:00:00.000Z' }],
])('the snapshot is deleted when the server %s', async (_case, changes) => {
  device.routes['GET /api/user'] = json(200, {
    ...device.serverUser,
    epoch: '11111111-1111-4111-8111-111111111111',
  });
  const engine = await engineWithSnapshot();
  device.routes['GET /api/user'] = json(200, {
    ...device.serverUser,
    ...changes,
    epoch: '22222222-2222-4222-8222-222222222222',
  });
  await engine.refreshUser();
  expect(await storedSnapshot()).toBeUndefined();
});

test('no snapshot of another user is stored', async () => {
  const engine = device.newEngine();
  await engine.start();
  await engine.keepHomeSnapshot(device.serverUser.id + 1, '<p>A poll</p>', 'phone');
  expect(await storedSnapshot()).toBeUndefined();
});

test.each<SmallOpInput>([
  { type: 'report', payload: { pollId: samplePoll().id, reason: 'spam' } },
  { type: 'block', payload: { username: 'spammer' } },
])('the snapshot is deleted when a $type hides polls that it may show', async (operation) => {
  const engine = await engineWithSnapshot();
  await engine.queue(operation);
  await vi.waitFor(async () => expect(await storedSnapshot()).toBeUndefined());
});

test('the snapshot is kept when the user votes', async () => {
  const engine = await engineWithSnapshot();
  await engine.queue({ type: 'vote', payload: { pollId: samplePoll().id, option: 1 } });
  expect(await storedSnapshot()).toBeDefined();
});
