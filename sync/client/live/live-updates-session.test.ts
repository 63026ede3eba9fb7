import { beforeEach, expect, test } from 'vitest';
import { engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';
import { json } from '#sync/testing/fake-transport.ts';
import { POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

let device: ReturnType<typeof engineHarness>;
beforeEach(() => {
  device = engineHarness();
});

test('live updates from before a restore of the server are not stored afterwards', async () => {
  const user = { ...device.serverUser, epoch: '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40' };
  const restoredUser = { ...user, rev: 1, epoch: '1c7b5b1f-47b8-4d3c-9a1f-7c2d2e3f4a51' };
  device.routes['GET /api/user'] = json(200, user);
  const engine = device.newEngine();
  await engine.start();
  engine.setVisible(true);
  await settled();
  const socket = device.sockets[0];
  if (socket === undefined) throw new Error('no socket');
  const { db } = userSessionOf(engine);
  await db.polls.put(samplePoll({ rev: 40, votesCount: 40 }));
  socket.open();
  socket.deliver({ type: 'poll.votes', id: POLL_ID, votesCount: 50, status: 'active', rev: 50 });
  device.routes['GET /api/user'] = json(200, restoredUser);
  device.routes[`GET /api/questions/${POLL_ID}`] = json(200, samplePoll({ rev: 3, votesCount: 3 }));
  await engine.refreshUser();
  expect(await engine.pullPoll(POLL_ID)).toBe('updated');
  expect(await db.polls.get(POLL_ID)).toMatchObject({ rev: 3 });
  // The delay before live updates are stored.
  device.clock.advance(600);
  await settled();
  await engine.pullPoll(POLL_ID);
  expect(await db.polls.get(POLL_ID)).toMatchObject({ rev: 3, votesCount: 3 });
});
