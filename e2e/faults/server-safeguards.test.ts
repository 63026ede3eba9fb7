import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { missingImages, orphanedFiles, sweepFiles } from './image-files.ts';
import { createScenario, NEXT_ATTEMPT_WITHIN_MS, type Scenario } from './scenario.ts';
import {
  block,
  changeVisibility,
  changeVote,
  create,
  report,
  takeBackReport,
  unblock,
  vote,
} from './user-actions.ts';
import { createWorld } from './world.ts';

/**
 * One history for each safeguard of the server. `check-safeguards.ts` removes each safeguard: its history must fail. In some
 * histories only `scenario.finish` detects this: it checks that nothing is lost or sent twice, and compares each device with the
 * server.
 */

const CHANGES_MAX = 5;

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let scenario: Scenario;
beforeEach(() => {
  scenario = createScenario(world);
});

test('a creation whose response was lost gets the same response at its next attempt', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  world.opFaults.push('drop_response');
  await create(device, 0, 10, 'lost response');
  await untilIdle(scenario.devices);
  await advanceClocks(scenario.devices, NEXT_ATTEMPT_WITHIN_MS);
  expect(device.sends.attempts).toBeGreaterThan(1);
  expect(await scenario.queuedOps(device)).toEqual([]);
  await scenario.finish();
});

test('a retry of a paid creation whose receipt was deleted is not refused for lack of points', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  world.opFaults.push('drop_response');
  await create(device, 0, 10, 'old poll');
  await untilIdle(scenario.devices);
  const { count } = await db.sql`delete from mutation_receipts where user_id = ${device.testUser.user.id}`;
  expect(count).toBe(1);
  // Without the receipt the response may differ; it only matters that the poll exists.
  world.finalResponses.clear();
  await advanceClocks(scenario.devices, NEXT_ATTEMPT_WITHIN_MS);
  expect(await scenario.queuedOps(device)).toEqual([]);
  await scenario.finish();
});

test('the same vote from a second device is not refused although the poll was deactivated in between', async () => {
  const testUser = await world.addUser(0);
  const [firstDevice, secondDevice] = [scenario.addDevice(testUser), scenario.addDevice(testUser)];
  const polls = await world.addPolls(maker.user.id, 1);
  await secondDevice.tab();
  secondDevice.isOnline = false;
  await vote(secondDevice, 0, polls, 1);
  await vote(firstDevice, 0, polls, 1);
  await untilIdle(scenario.devices);
  await world.deactivatePoll(polls[0] ?? '');
  secondDevice.isOnline = true;
  await advanceClocks(scenario.devices, NEXT_ATTEMPT_WITHIN_MS);
  expect(await scenario.queuedOps(secondDevice)).toEqual([]);
  await scenario.finish();
});

test.each([
  ['report', report],
  ['block', block],
])(
  'a %s takes effect at its next attempt if the connection broke before its commit',
  async (kind, operation) => {
    const device = scenario.addDevice(await world.addUser(0));
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    await device.tab();
    await untilIdle(scenario.devices);
    world.cluster.commitFaults.push('before_commit');
    await changeVisibility(device, 0, operation(kind === 'report' ? pollId : maker.user.username));
    await untilIdle(scenario.devices);
    expect(world.cluster.commitFaults).toEqual([]);
    await advanceClocks(scenario.devices, NEXT_ATTEMPT_WITHIN_MS);
    expect(device.sends.attempts).toBeGreaterThan(1);
    expect(await scenario.queuedOps(device)).toEqual([]);
    await scenario.finish();
  },
);

test('the feed leaves out reported polls and polls of blocked users, until they are shown again', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const polls = await world.addPolls(maker.user.id, 2);
  const otherMaker = await world.addUser(0);
  const [othersPoll = ''] = await world.addPolls(otherMaker.user.id, 1);
  const { engine } = await device.tab();
  const feed = async () => {
    await engine.pullFeed();
    return device.withDb(device.testUser.user.id, (own) => own.feed.toCollection().primaryKeys());
  };
  await changeVisibility(device, 0, report(polls[0] ?? ''));
  await untilIdle(scenario.devices);
  expect(await feed()).not.toContain(polls[0]);
  await changeVisibility(device, 0, block(otherMaker.user.username));
  await untilIdle(scenario.devices);
  expect(await feed()).not.toContain(othersPoll);
  await changeVisibility(device, 0, takeBackReport(polls[0] ?? ''));
  await changeVisibility(device, 0, unblock(otherMaker.user.username));
  await untilIdle(scenario.devices);
  expect(await feed()).toEqual(expect.arrayContaining([...polls, othersPoll]));
  await scenario.finish();
});

test('a vote can be changed at most five times, even when responses are lost, and changes earn no points', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await vote(device, 0, [pollId], 1);
  for (let index = 0; index <= CHANGES_MAX; index += 1) {
    await untilIdle(scenario.devices);
    if (index % 2 === 0) world.opFaults.push('drop_response');
    await changeVote(device, 0, pollId, index % 2 === 0 ? 2 : 1);
    await advanceClocks(scenario.devices, NEXT_ATTEMPT_WITHIN_MS);
  }
  expect(await scenario.queuedOps(device)).toMatchObject([
    { type: 'changeVote', state: 'rejected', lastError: { code: 'change_limit' } },
  ]);
  expect(await db.sql`select option, changes from votes where poll_id = ${pollId}`).toEqual([
    { option: 2, changes: CHANGES_MAX },
  ]);
  expect((await device.testUser.readUser()).points).toBe(1);
  await scenario.finish();
});

test('a vote is not cast as another user who has logged in since', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const otherUser = await world.addUser(0);
  await device.tab();
  await device.startSession(otherUser);
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilIdle(scenario.devices);
  const otherVotes = await db.sql`select poll_id, user_id from votes where user_id = ${otherUser.user.id}`;
  expect(otherVotes).toEqual([]);
  await scenario.finish();
});

test('a poll is refused and not created if its points are spent on another poll at the same time', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  const userId = device.testUser.user.id;
  await device.tab();
  // The points are spent in a transaction that commits while the creation waits for its lock.
  await inTransaction(db, async (tx) => {
    await creditPoints(tx, { userId, delta: -10, reason: 'login', source: 'spent elsewhere' });
    await create(device, 0, 10, 'too late');
    await vi.waitFor(async () => {
      const waiting = await db.sql`select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      expect(waiting).toHaveLength(1);
    });
  });
  await untilIdle(scenario.devices);
  expect(await scenario.queuedOps(device)).toMatchObject([{ state: 'rejected' }]);
  expect(await db.sql`select id from polls where user_id = ${userId}`).toEqual([]);
  expect(await orphanedFiles(world)).toEqual([]);
  await scenario.finish();
});

test('the sweep removes a file of an interrupted creation, and no image of a poll', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  await create(device, 0, 10, 'with images');
  await untilIdle(scenario.devices);
  const { deps } = world.test;
  const name = `${'0'.repeat(32)}.webp`;
  for (const folder of [uploadsFolder(deps), deps.images.incomingFolder])
    await writeFile(join(folder, name), 'left');
  expect(await orphanedFiles(world)).toEqual([name, name]);
  await sweepFiles(world);
  expect(await orphanedFiles(world)).toEqual([]);
  expect(await missingImages(world)).toEqual([]);
  await scenario.finish();
});
