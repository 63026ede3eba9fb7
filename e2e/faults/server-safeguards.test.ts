import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { blocking, changeVote, create, hide, reporting, vote } from './acts.ts';
import { leftFiles, lostImages, sweepFiles } from './left-files.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

const CHANGES_MAX = 5;

/** One history for each safeguard of the server, which takes the way that it guards: a check takes each of them out. */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(() => {
  stage = createStage(world);
});

test('a poll whose answer got lost is answered the same at its next attempt', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  world.opFaults.push('drop_after');
  await create(device, 0, 10, 'lost answer');
  await untilQuiet(stage.devices);
  await passTime(stage.devices, 31_000);
  expect(device.sends.attempts).toBeGreaterThan(1);
  expect(await stage.opsOf(device)).toEqual([]);
  await stage.endWell();
});

test('a poll that was made and whose receipt is gone is not refused for the points that it took', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  world.opFaults.push('drop_after');
  await create(device, 0, 10, 'old poll');
  await untilQuiet(stage.devices);
  const { count } = await db.sql`delete from mutation_receipts where user_id = ${device.person.user.id}`;
  expect(count).toBe(1);
  // What it said to that key it cannot say again: the poll is there, which is all that counts.
  world.answers.clear();
  await passTime(stage.devices, 31_000);
  expect(await stage.opsOf(device)).toEqual([]);
  await stage.endWell();
});

test('the same vote from another device is not refused because the poll was closed in between', async () => {
  const person = await world.addUser(0);
  const [first, second] = [stage.deviceOf(person), stage.deviceOf(person)];
  const polls = await world.addPolls(maker.user.id, 1);
  await second.tab();
  second.isOnline = false;
  await vote(second, 0, polls, 1);
  await vote(first, 0, polls, 1);
  await untilQuiet(stage.devices);
  await world.closePoll(polls[0] ?? '');
  second.isOnline = true;
  await passTime(stage.devices, 31_000);
  expect(await stage.opsOf(second)).toEqual([]);
  await stage.endWell();
});

test.each([
  ['report', reporting],
  ['block', blocking],
])('a %s whose connection broke before its commit is done at its next attempt', async (kind, operation) => {
  const device = stage.deviceOf(await world.addUser(0));
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await device.tab();
  await untilQuiet(stage.devices);
  world.cluster.cuts.push('before_commit');
  await hide(device, 0, operation(kind === 'report' ? pollId : maker.user.username, false));
  await untilQuiet(stage.devices);
  expect(world.cluster.cuts).toEqual([]);
  await passTime(stage.devices, 31_000);
  expect(device.sends.attempts).toBeGreaterThan(1);
  expect(await stage.opsOf(device)).toEqual([]);
  await stage.endWell();
});

test('the lists of whoever hides something have nothing of it, and have it again afterwards', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const polls = await world.addPolls(maker.user.id, 2);
  const other = await world.addUser(0);
  const [othersPoll = ''] = await world.addPolls(other.user.id, 1);
  const { engine } = await device.tab();
  const feed = async () => {
    await engine.pullFeed();
    return device.withDb(device.person.user.id, (local) => local.feed.toCollection().primaryKeys());
  };
  await hide(device, 0, reporting(polls[0] ?? '', false));
  await untilQuiet(stage.devices);
  expect(await feed()).toEqual(expect.not.arrayContaining([polls[0]]));
  await hide(device, 0, blocking(other.user.username, false));
  await untilQuiet(stage.devices);
  expect(await feed()).toEqual(expect.not.arrayContaining([othersPoll]));
  await hide(device, 0, reporting(polls[0] ?? '', true));
  await hide(device, 0, blocking(other.user.username, true));
  await untilQuiet(stage.devices);
  expect(await feed()).toEqual(expect.arrayContaining([...polls, othersPoll]));
  await stage.endWell();
});

test('a vote is changed five times at most, whatever is lost on the way, and its changes pay nothing', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await vote(device, 0, [pollId], 1);
  for (let nth = 0; nth <= CHANGES_MAX; nth += 1) {
    await untilQuiet(stage.devices);
    if (nth % 2 === 0) world.opFaults.push('drop_after');
    await changeVote(device, 0, pollId, nth % 2 === 0 ? 2 : 1);
    await passTime(stage.devices, 31_000);
  }
  expect(await stage.opsOf(device)).toMatchObject([
    { type: 'changeVote', state: 'rejected', lastError: { code: 'change_limit' } },
  ]);
  expect(await db.sql`select option, changes from votes where poll_id = ${pollId}`).toEqual([
    { option: 2, changes: CHANGES_MAX },
  ]);
  expect((await device.person.readUser()).points).toBe(1);
  await stage.endWell();
});

test('what waits under the session of somebody else is not done as them', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const other = await world.addUser(0);
  await device.tab();
  await device.newSession(other);
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilQuiet(stage.devices);
  const others = await db.sql`select poll_id, user_id from votes where user_id = ${other.user.id}`;
  expect(others).toEqual([]);
  await stage.endWell();
});

test('a poll whose points are spent elsewhere while it is made is not made', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  const userId = device.person.user.id;
  await device.tab();
  await inTransaction(db, async (tx) => {
    await creditPoints(tx, { userId, delta: -10, reason: 'login', source: 'spent elsewhere' });
    await create(device, 0, 10, 'too late');
    await vi.waitFor(async () => {
      const waiting = await db.sql`select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      expect(waiting).toHaveLength(1);
    });
  });
  await untilQuiet(stage.devices);
  expect(await stage.opsOf(device)).toMatchObject([{ state: 'rejected' }]);
  expect(await db.sql`select id from polls where user_id = ${userId}`).toEqual([]);
  expect(await leftFiles(world)).toEqual([]);
  await stage.endWell();
});

test('a file of a creation that was cut off goes with the sweep, and nothing that belongs to a poll does', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  await create(device, 0, 10, 'with images');
  await untilQuiet(stage.devices);
  const { deps } = world.test;
  const name = `${'0'.repeat(32)}.webp`;
  for (const folder of [uploadsFolder(deps), deps.images.incomingFolder])
    await writeFile(join(folder, name), 'left');
  expect(await leftFiles(world)).toEqual(Array(2).fill(expect.stringContaining(name)));
  await sweepFiles(world);
  expect(await leftFiles(world)).toEqual([]);
  expect(await lostImages(world)).toEqual([]);
  await stage.endWell();
});
