import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { readFeed } from '#sync/client/cache/reads.ts';
import { blocking, create, discard, hide, reporting, vote } from './acts.ts';
import type { Device } from './device.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

/** One history for each safeguard of the device, which takes the way that it guards: a check takes each of them out. */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(() => {
  stage = createStage(world);
});

/** The polls that a device shows its person. */
async function shownOn(device: Device): Promise<string[]> {
  const { trending, latest } = await device.withDb(device.person.user.id, (local) =>
    readFeed(local, Date.now()),
  );
  return [...trending, ...latest].map(({ poll }) => poll.id);
}

test('what another tab is sending is left alone until its lease has run out', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const first = await device.tab(0);
  const second = await device.tab(1);
  first.endBy({ kind: 'freeze_at_answer', count: 1 });
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilQuiet(stage.devices);
  second.engine.tryConnection();
  await passTime(stage.devices, 25_000);
  expect(device.sends.attempts).toBe(1);
  await passTime(stage.devices, 31_000);
  expect(device.sends.attempts).toBe(2);
  await stage.endWell();
});

test('a lease lasts for as long as the sending goes on', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const first = await device.tab(0);
  const second = await device.tab(1);
  await untilQuiet(stage.devices);
  const answer = Promise.withResolvers<void>();
  device.held = { method: 'POST', until: answer.promise };
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await vi.waitFor(() => expect(device.heldAnswers).toBe(1));
  for (let seconds = 0; seconds < 75; seconds += 5) {
    device.clock.advance(5_000);
    // Long enough for a tab to begin with what it has been woken for.
    await sleep(20);
    await vi.waitFor(() => expect([first.databaseOps, second.databaseOps]).toEqual([0, 0]), 10_000);
    expect(device.sends.attempts).toBe(1);
  }
  answer.resolve();
  device.held = null;
  await untilQuiet(stage.devices);
  await stage.endWell();
});

test('a tab that was frozen past its lease sends nothing that another one has sent in its place', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const first = await device.tab(0);
  const polls = await world.addPolls(maker.user.id, 4);
  device.isOnline = false;
  await vote(device, 0, polls, 1);
  await untilQuiet(stage.devices);
  await device.tab(1);
  await untilQuiet(stage.devices);
  first.endBy({ kind: 'freeze_at_answer', count: 1 });
  device.isOnline = true;
  first.engine.tryConnection();
  await untilQuiet(stage.devices);
  expect(first.isFrozen).toBe(true);
  await passTime(stage.devices, 62_000);
  first.thaw();
  await untilQuiet(stage.devices);
  await stage.endWell();
});

test('votes that are discarded while another one is on its way are never sent', async () => {
  const device = stage.deviceOf(await world.addUser(0), true);
  const first = await device.tab(0);
  const polls = await world.addPolls(maker.user.id, 3);
  device.isOnline = false;
  await vote(device, 0, polls, 1);
  await untilQuiet(stage.devices);
  await device.tab(1);
  await untilQuiet(stage.devices);
  device.isOnline = true;
  first.endBy({ kind: 'freeze_at_answer', count: 1 });
  first.engine.tryConnection();
  await vi.waitFor(() => expect(first.isFrozen).toBe(true));
  for (const place of [2, 1, 0]) await discard(device, 1, place);
  first.thaw();
  await untilQuiet(stage.devices);
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from votes where user_id = ${device.person.user.id}`;
  expect(count).toBe(1);
  await stage.endWell();
});

test('what was read before a vote and arrives after its answer makes nothing older', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const { engine } = await device.tab();
  const polls = await world.addPolls(maker.user.id, 1);
  await engine.pullFeed();
  // Something else about the list changes, so that it is sent anew.
  await world.addPolls(maker.user.id, 1);
  const answers = Promise.withResolvers<void>();
  device.held = { method: 'GET', until: answers.promise };
  const reading = Promise.all([engine.pullFeed(), engine.refreshUser()]);
  await vi.waitFor(() => expect(device.heldAnswers).toBe(2));
  await vote(device, 0, polls, 1);
  await vi.waitFor(async () => expect(await stage.opsOf(device)).toEqual([]));
  await device.watch();
  answers.resolve();
  device.held = null;
  await reading;
  await untilQuiet(stage.devices);
  await device.watch();
  expect(device.broken).toEqual([]);
  await stage.endWell();
});

test('the page of a captive portal is no answer, however often it comes', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  world.opFaults.push('portal', 'portal', 'portal', 'portal', 'portal', 'portal');
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await passTime(stage.devices, 200_000);
  expect(device.sends.attempts).toBeGreaterThan(6);
  expect(await stage.opsOf(device)).toEqual([]);
  await stage.endWell();
});

test('a vote that nobody answers is given up after 15 seconds, a poll after two minutes, and each goes out again', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  await device.tab();
  const startedAt = device.clock.now();
  world.opFaults.push('silence', 'silent_server');
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilQuiet(stage.devices);
  expect(device.clock.now() - startedAt).toBeGreaterThanOrEqual(15_000);
  await passTime(stage.devices, 70_000);
  expect(device.sends.attempts).toBe(3);
  expect(await stage.opsOf(device)).toEqual([]);

  const createdAt = device.clock.now();
  world.opFaults.push('silent_server');
  await create(device, 0, 10, 'no answer');
  await untilQuiet(stage.devices);
  expect(device.clock.now() - createdAt).toBeGreaterThanOrEqual(120_000);
  await passTime(stage.devices, 35_000);
  expect(device.sends.attempts).toBe(5);
  expect(await stage.opsOf(device)).toEqual([]);
  await stage.endWell();
});

test('lists that are read again show what the server has by now, in its order, and nothing else', async () => {
  const device = stage.deviceOf(await world.addUser(20));
  const { engine } = await device.tab();
  const readLists = async () => {
    await engine.pullFeed();
    await Promise.all([engine.pullMoreFeed(), engine.pullTrending(), engine.pullMine()]);
  };
  const polls = await world.addPolls(maker.user.id, 30);
  await create(device, 0, 10, 'own poll');
  await vote(device, 0, polls.slice(0, 3), 1);
  await untilQuiet(stage.devices);
  await passTime(stage.devices, 5_000);
  await readLists();
  const lists = () =>
    device.withDb(device.person.user.id, async (local) => ({
      feed: await local.feed.orderBy('position').primaryKeys(),
      trending: await local.trending.toCollection().primaryKeys(),
      mine: await local.mine.toCollection().primaryKeys(),
    }));
  const before = await lists();
  expect(before.feed.length).toBeGreaterThan(30);
  for (const id of [...before.trending, ...before.mine, before.feed[1] ?? '']) await world.closePoll(id);
  await world.addPolls(maker.user.id, 3);
  await readLists();
  await stage.endWell();
});

test('a poll whose report has arrived stays hidden, before any list is read again', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const { engine } = await device.tab();
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await engine.pullFeed();
  expect(await shownOn(device)).toContain(pollId);
  await hide(device, 0, reporting(pollId, false));
  await untilQuiet(stage.devices);
  expect(await stage.opsOf(device)).toEqual([]);
  expect(await shownOn(device)).not.toContain(pollId);
  await stage.endWell();
});

test('a report whose answer got lost is taken back after it, never before', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await device.tab();
  world.opFaults.push('drop_before');
  await hide(device, 0, reporting(pollId, false));
  await untilQuiet(stage.devices);
  await hide(device, 0, reporting(pollId, true));
  expect((await stage.opsOf(device)).map(({ type }) => type)).toEqual(['report', 'takeBackReport']);
  await passTime(stage.devices, 65_000);
  expect(await stage.opsOf(device)).toEqual([]);
  expect(await db.sql`select from poll_reports where poll_id = ${pollId}`).toEqual([]);
  await stage.endWell();
});

test('what another device shows again is shown here after the next read, though it was hidden here, too', async () => {
  const person = await world.addUser(0);
  const [first, second] = [stage.deviceOf(person), stage.deviceOf(person)];
  const other = await world.addUser(0);
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  const [othersPoll = ''] = await world.addPolls(other.user.id, 1);
  const both = [reporting(pollId, false), blocking(other.user.username, false)];
  const undone = [reporting(pollId, true), blocking(other.user.username, true)];
  for (const device of [first, second]) {
    await (await device.tab()).engine.pullFeed();
    for (const operation of both) await hide(device, 0, operation);
    await untilQuiet(stage.devices);
    expect(await shownOn(device)).toEqual(expect.not.arrayContaining([pollId, othersPoll]));
    await passTime(stage.devices, 5_000);
  }
  for (const operation of undone) await hide(first, 0, operation);
  await untilQuiet(stage.devices);
  await (await second.tab()).engine.pullFeed();
  expect(await shownOn(second)).toEqual(expect.arrayContaining([pollId, othersPoll]));
  await stage.endWell();
});

test('a list that was read before a report and arrives after its answer shows nothing again', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const { engine } = await device.tab();
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  const answers = Promise.withResolvers<void>();
  device.held = { method: 'GET', until: answers.promise };
  const reading = engine.pullFeed();
  await vi.waitFor(() => expect(device.heldAnswers).toBe(1));
  await hide(device, 0, reporting(pollId, false));
  await vi.waitFor(async () => expect(await stage.opsOf(device)).toEqual([]));
  answers.resolve();
  device.held = null;
  await reading;
  await untilQuiet(stage.devices);
  expect(await shownOn(device)).not.toContain(pollId);
  await stage.endWell();
});
