import { beforeEach, expect, test, vi } from 'vitest';
import { openDeviceDb } from '#sync/client/db.ts';
import type { NewOperation } from '#sync/operations/registry.ts';
import { type EngineHarness, engineHarness } from '#sync/testing/engine-harness.ts';
import { json } from '#sync/testing/fake-transport.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** The stored snapshot; `value` is the id of its user. */
async function stored(): Promise<{ value: number; html?: string; look?: string } | undefined> {
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
  await engine.keepHomeSnapshot(device.user.id, '<p>A poll</p>', 'phone');
  expect(await stored()).toMatchObject({ value: device.user.id, html: '<p>A poll</p>', look: 'phone' });
  return engine;
}

test('the snapshot of /home is kept for the next start of the same user', async () => {
  await engineWithSnapshot();
  await device.newEngine().start();
  expect(await stored()).toBeDefined();
});

test('a log out deletes it, also one that the server has not heard of', async () => {
  const engine = await engineWithSnapshot();
  device.routes = {};
  await engine.logOut('keep');
  expect(await stored()).toBeUndefined();
});

test('a tab that has not heard of the log out of another one stores none', async () => {
  const other = device.newEngine({ tabs: { announce() {}, listen() {} } });
  await other.start();
  const engine = await engineWithSnapshot();
  await engine.logOut('keep');
  expect(other.session.get().status).toBe('user');
  await other.keepHomeSnapshot(device.user.id, '<p>A poll</p>', 'phone');
  expect(await stored()).toBeUndefined();
});

test('it is deleted when somebody else logs in', async () => {
  const engine = await engineWithSnapshot();
  const somebody = sampleUser({ id: device.user.id + 1 });
  device.routes['GET /api/user'] = json(200, somebody);
  await engine.setUser(somebody);
  expect(await stored()).toBeUndefined();
});

test('it is deleted when the server was set up anew or restored from a backup', async () => {
  device.routes['GET /api/user'] = json(200, {
    ...device.user,
    epoch: '11111111-1111-4111-8111-111111111111',
  });
  const engine = await engineWithSnapshot();
  device.routes['GET /api/user'] = json(200, {
    ...device.user,
    epoch: '22222222-2222-4222-8222-222222222222',
  });
  await engine.refreshUser();
  expect(await stored()).toBeUndefined();
});

test('none is kept of what another user saw', async () => {
  const engine = device.newEngine();
  await engine.start();
  await engine.keepHomeSnapshot(device.user.id + 1, '<p>A poll</p>', 'phone');
  expect(await stored()).toBeUndefined();
});

test.each<NewOperation>([
  { type: 'report', payload: { pollId: samplePoll().id, reason: 'spam' } },
  { type: 'block', payload: { username: 'spammer' } },
])('it is deleted when the user hides what may be in it: $type', async (operation) => {
  const engine = await engineWithSnapshot();
  await engine.queue(operation);
  await vi.waitFor(async () => expect(await stored()).toBeUndefined());
});

test('it stays when the user votes', async () => {
  const engine = await engineWithSnapshot();
  await engine.queue({ type: 'vote', payload: { pollId: samplePoll().id, option: 1 } });
  expect(await stored()).toBeDefined();
});
