import { Dexie } from 'dexie';
import { beforeEach, expect, test, vi } from 'vitest';
import { drainLane } from '#sync/client/drain/drain.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import { type EngineHarness, engineHarness } from '#sync/testing/engine-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { lost, refusal, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

let device: EngineHarness;
beforeEach(() => {
  device = engineHarness();
});

test('removed storage is told of though the person logs in before the server has said who is signed in', async () => {
  let waiting = { userId: device.user.id, count: 3 };
  const deviceNote = {
    ...fakeBrowser.deviceNote,
    hasBeenUsed: () => true,
    readWaiting: () => waiting,
    noteWaiting: (userId: number, count: number) => {
      waiting = { userId, count };
    },
  };
  const routes = device.routes;
  device.routes = {};
  const engine = device.newEngine({ deviceNote });
  await engine.start();
  expect(engine.session.get().status).toBe('visitor');
  device.routes = routes;
  await engine.signedIn(device.user);
  await engine.refreshUser();
  await settled();
  expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 3 });
});

test('a late refusal of an op that was removed with its database leaves the first op of the new one alone', async () => {
  const one = await drainHarness();
  await one.voteOn(POLL_ID);
  const reply = Promise.withResolvers<void>();
  const { transport, sent } = scriptedTransport(async (request) => {
    await reply.promise;
    return refusal('poll_closed')(request);
  }, lost);
  const draining = drainLane(one.context(transport), 'votes');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const user = await one.db.user.toArray();
  const [old] = await one.db.ops.toArray();
  // As a browser removes it under an open page; the engine puts the user back.
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
