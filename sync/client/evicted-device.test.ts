import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { drainLane } from '#sync/client/drain/drain.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { voteOn } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { DeviceNote, Eviction } from './capabilities.ts';

let device: EngineHarness;
beforeEach(() => {
  device = engineHarness();
});

test('an eviction is reported even if the user logs in before the session check ends', async () => {
  const deviceNote = fakeDeviceNote({ hasBeenUsed: true, waiting: { userId: device.user.id, count: 3 } });
  const routes = device.routes;
  device.routes = {};
  const engine = device.newEngine({ deviceNote });
  await engine.start();
  expect(engine.session.get().status).toBe('visitor');
  device.routes = routes;
  await engine.setUser(device.user);
  await engine.refreshUser();
  await settled();
  expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 3 });
});

test('the number of evicted changes that a logout had kept is reported', async () => {
  const deviceNote = fakeDeviceNote();
  delete device.routes[VOTE_ROUTE];
  const engine = device.newEngine({ deviceNote });
  await engine.start();
  await engine.queue(voteOn(POLL_ID, 1));
  await engine.logOut('keep');
  for (const name of await Dexie.getDatabaseNames()) await Dexie.delete(name);
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const next = device.newEngine({ deviceNote: { ...deviceNote, hasBeenUsed: () => true } });
  await next.start();
  expect(next.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 1 });
});

describe('an eviction that a hidden tab detects', () => {
  let deviceNote: DeviceNote;
  let lostThree: Eviction;

  beforeEach(() => {
    lostThree = { userId: device.user.id, lostChanges: 3 };
    deviceNote = fakeDeviceNote({ hasBeenUsed: true, waiting: { userId: device.user.id, count: 3 } });
  });

  function newTab(isVisible: boolean) {
    const tab = device.newEngine({ deviceNote });
    tab.setVisible(isVisible);
    return tab;
  }

  test('is reported once, when the tab becomes visible', async () => {
    const hidden = newTab(false);
    await hidden.start();
    // Changes that were stored later do not affect the report.
    deviceNote.noteWaiting(device.user.id, 1);
    expect(hidden.eviction.get()).toBeNull();
    hidden.setVisible(true);
    expect(hidden.eviction.get()).toEqual(lostThree);
    expect(deviceNote.readWaiting()?.count).toBe(1);
    const next = newTab(true);
    await next.start();
    expect(next.eviction.get()).toBeNull();
  });

  test.each([
    ['once it is known who is logged in', () => device.routes],
    ['before that is known', () => ({})],
  ])('is reported at the next start if that tab is killed %s', async (_when, routes) => {
    const { routes: reachable } = device;
    device.routes = routes();
    await newTab(false).start();
    device.routes = reachable;
    const next = newTab(true);
    await next.start();
    expect(next.eviction.get()).toEqual(lostThree);
  });

  test('is reported at once in a visible tab', async () => {
    const [hidden, seen] = [newTab(false), newTab(true)];
    deviceNote.noteWaiting(device.user.id, 0);
    await seen.start();
    await hidden.start();
    deviceNote.noteWaiting(device.user.id, 3);
    const { db } = userSessionOf(hidden);
    for (const tab of [hidden, seen]) userSessionOf(tab).db.close({ disableAutoOpen: false });
    await Dexie.delete(db.name);
    await db.open();
    await vi.waitFor(() => expect(seen.eviction.get()).toEqual(lostThree));
    expect(hidden.eviction.get()).toBeNull();
  });

  test('is reported to its user, not to another user who has logged in', async () => {
    await newTab(false).start();
    const other = sampleUser({ id: device.user.id + 1, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, other);
    const next = newTab(true);
    await next.setUser(other);
    await settled();
    expect(next.eviction.get()).toBeNull();
    device.routes['GET /api/user'] = json(200, device.user);
    await next.setUser(device.user);
    await vi.waitFor(() => expect(next.eviction.get()).toEqual(lostThree));
  });
});

test('a late refusal of an evicted op does not affect the first op of the new database', async () => {
  const one = await drainHarness();
  await one.voteOn(POLL_ID);
  const reply = Promise.withResolvers<void>();
  const { transport, sent } = scriptedTransport(async (request) => {
    await reply.promise;
    return errorResponse('poll_closed')(request);
  }, noResponse);
  const draining = drainLane(one.context(transport), 'votes');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const user = await one.db.user.toArray();
  const [old] = await one.db.ops.toArray();
  // The browser evicts the database of an open page; the engine stores the user again.
  one.db.close({ disableAutoOpen: false });
  await Dexie.delete(one.db.name);
  await one.db.user.bulkPut(user);
  await one.voteOn(OTHER_POLL_ID);
  const [fresh] = await one.db.ops.toArray();
  expect(fresh?.seq).toBe(old?.seq);
  reply.resolve();
  await draining.catch(() => {});
  expect(await one.db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID, state: 'queued' }]);
});
