import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { readPollsTab } from '#sync/client/cache/reads.ts';
import type { Device } from './device.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import type { Fault } from './proxy.ts';
import { createScenario, type Scenario } from './scenario.ts';
import {
  block,
  changeVisibility,
  create,
  discard,
  report,
  takeBackReport,
  unblock,
  vote,
} from './user-actions.ts';
import { createWorld } from './world.ts';

/**
 * One history for each safeguard of the device. `check-safeguards.ts` removes each safeguard: its history must fail. In some
 * histories only `scenario.finish` detects this: it checks that nothing is lost or sent twice, and compares each device with the
 * server.
 */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let scenario: Scenario;
beforeEach(() => {
  scenario = createScenario(world);
});

/** The ids of the polls that the Polls tab of a device shows its user. */
async function shownOn(device: Device): Promise<string[]> {
  const { trending, latest } = await device.withDb(device.testUser.user.id, (local) =>
    readPollsTab(local, Date.now()),
  );
  return [...trending, ...latest].map(({ poll }) => poll.id);
}

test('a tab does not send an op that another tab is sending until the lease has expired', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const firstTab = await device.tab(0);
  const secondTab = await device.tab(1);
  firstTab.scheduleFault({ kind: 'freeze_at_response', count: 1 });
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilIdle(scenario.devices);
  secondTab.engine.tryConnection();
  await advanceClocks(scenario.devices, 25_000);
  expect(device.sends.attempts).toBe(1);
  await advanceClocks(scenario.devices, 31_000);
  expect(device.sends.attempts).toBe(2);
  await scenario.finish();
});

test('a lease is renewed for as long as a request is in flight', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const firstTab = await device.tab(0);
  const secondTab = await device.tab(1);
  await untilIdle(scenario.devices);
  const responseGate = Promise.withResolvers<void>();
  device.responseDelay = { method: 'POST', until: responseGate.promise };
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await vi.waitFor(() => expect(device.delayedResponses).toBe(1));
  for (let seconds = 0; seconds < 75; seconds += 5) {
    device.clock.advance(5_000);
    // Long enough for a tab to start the work that its timers trigger.
    await sleep(20);
    await vi.waitFor(() => expect([firstTab.databaseOps, secondTab.databaseOps]).toEqual([0, 0]), 10_000);
    expect(device.sends.attempts).toBe(1);
  }
  responseGate.resolve();
  device.responseDelay = null;
  await untilIdle(scenario.devices);
  await scenario.finish();
});

test('a tab that was frozen until its leases expired does not repeat ops that another tab has sent', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const firstTab = await device.tab(0);
  const polls = await world.addPolls(maker.user.id, 4);
  device.isOnline = false;
  await vote(device, 0, polls, 1);
  await untilIdle(scenario.devices);
  await device.tab(1);
  await untilIdle(scenario.devices);
  firstTab.scheduleFault({ kind: 'freeze_at_response', count: 1 });
  device.isOnline = true;
  firstTab.engine.tryConnection();
  await untilIdle(scenario.devices);
  expect(firstTab.isFrozen).toBe(true);
  await advanceClocks(scenario.devices, 62_000);
  firstTab.thaw();
  await untilIdle(scenario.devices);
  await scenario.finish();
});

test('waiting votes that are discarded while another vote is in flight are never sent', async () => {
  const device = scenario.addDevice(await world.addUser(0), { hasSharedLock: true });
  const firstTab = await device.tab(0);
  const polls = await world.addPolls(maker.user.id, 3);
  device.isOnline = false;
  await vote(device, 0, polls, 1);
  await untilIdle(scenario.devices);
  await device.tab(1);
  await untilIdle(scenario.devices);
  device.isOnline = true;
  firstTab.scheduleFault({ kind: 'freeze_at_response', count: 1 });
  firstTab.engine.tryConnection();
  await vi.waitFor(() => expect(firstTab.isFrozen).toBe(true));
  // From the last one, because each discarded op shifts the indexes after it. The vote in flight cannot be discarded.
  for (const opIndex of [2, 1, 0]) await discard(device, 1, opIndex);
  firstTab.thaw();
  await untilIdle(scenario.devices);
  expect(await scenario.votesOf(device)).toBe(1);
  await scenario.finish();
});

test('an outdated list that arrives after the response to a vote overwrites no newer data', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const { engine } = await device.tab();
  const polls = await world.addPolls(maker.user.id, 1);
  await engine.pullFeed();
  // The list changes, so that the next read does not get a 304.
  await world.addPolls(maker.user.id, 1);
  const responseGate = Promise.withResolvers<void>();
  device.responseDelay = { method: 'GET', until: responseGate.promise };
  const reading = Promise.all([engine.pullFeed(), engine.refreshUser()]);
  await vi.waitFor(() => expect(device.delayedResponses).toBe(2));
  await vote(device, 0, polls, 1);
  await vi.waitFor(async () => expect(await scenario.queuedOps(device)).toEqual([]));
  await device.checkRevisions();
  responseGate.resolve();
  device.responseDelay = null;
  await reading;
  await untilIdle(scenario.devices);
  await device.checkRevisions();
  expect(device.violations).toEqual([]);
  await scenario.finish();
});

test('the page of a captive portal never counts as a response, and the vote is sent again', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  world.opFaults.push(...Array<Fault>(6).fill('captive_portal'));
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await advanceClocks(scenario.devices, 200_000);
  expect(device.sends.attempts).toBeGreaterThan(6);
  expect(await scenario.queuedOps(device)).toEqual([]);
  await scenario.finish();
});

/** Expects a timeout, to which the latency of the device's network may add. */
function expectDuration(ms: number, timeoutMs: number): void {
  expect(ms).toBeGreaterThanOrEqual(timeoutMs);
  expect(ms).toBeLessThan(timeoutMs + 1_000);
}

test('a vote times out after 15 seconds and a creation after two minutes, and both are sent again', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  await device.tab();
  const startedAt = device.clock.now();
  // The first retry times out, too.
  world.opFaults.push('no_response', 'processed_without_response');
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilIdle(scenario.devices);
  expectDuration(device.clock.now() - startedAt, 15_000);
  await advanceClocks(scenario.devices, 70_000);
  expect(device.sends.attempts).toBe(3);
  expect(await scenario.queuedOps(device)).toEqual([]);

  const createdAt = device.clock.now();
  world.opFaults.push('processed_without_response');
  await create(device, 0, 10, 'no response');
  await untilIdle(scenario.devices);
  expectDuration(device.clock.now() - createdAt, 120_000);
  await advanceClocks(scenario.devices, 35_000);
  expect(device.sends.attempts).toBe(5);
  expect(await scenario.queuedOps(device)).toEqual([]);
  await scenario.finish();
});

test('a list that is pulled again has exactly the polls of the server, in the same order', async () => {
  const device = scenario.addDevice(await world.addUser(20));
  const { engine } = await device.tab();
  const readLists = async () => {
    await engine.pullFeed();
    await Promise.all([engine.pullMoreFeed(), engine.pullTrending(), engine.pullMine()]);
  };
  const polls = await world.addPolls(maker.user.id, 30);
  await create(device, 0, 10, 'own poll');
  await vote(device, 0, polls.slice(0, 3), 1);
  await untilIdle(scenario.devices);
  await advanceClocks(scenario.devices, 5_000);
  await readLists();
  const storedLists = () =>
    device.withDb(device.testUser.user.id, async (local) => ({
      feed: await local.feed.orderBy('position').primaryKeys(),
      trending: await local.trending.toCollection().primaryKeys(),
      mine: await local.mine.toCollection().primaryKeys(),
    }));
  const before = await storedLists();
  expect(before.feed.length).toBeGreaterThan(30);
  for (const id of [...before.trending, ...before.mine, before.feed[1] ?? '']) await world.deactivatePoll(id);
  await world.addPolls(maker.user.id, 3);
  await readLists();
  await scenario.finish();
});

test('a poll remains hidden after its report is acknowledged, before any list is pulled again', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const { engine } = await device.tab();
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await engine.pullFeed();
  expect(await shownOn(device)).toContain(pollId);
  await changeVisibility(device, 0, report(pollId));
  await untilIdle(scenario.devices);
  expect(await scenario.queuedOps(device)).toEqual([]);
  expect(await shownOn(device)).not.toContain(pollId);
  await scenario.finish();
});

test('taking back a report that may have been sent queues another op and does not replace the report', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  await device.tab();
  world.opFaults.push('drop_request');
  await changeVisibility(device, 0, report(pollId));
  await untilIdle(scenario.devices);
  await changeVisibility(device, 0, takeBackReport(pollId));
  expect((await scenario.queuedOps(device)).map(({ type }) => type)).toEqual(['report', 'takeBackReport']);
  await advanceClocks(scenario.devices, 65_000);
  expect(await scenario.queuedOps(device)).toEqual([]);
  expect(await db.sql`select from poll_reports where poll_id = ${pollId}`).toEqual([]);
  await scenario.finish();
});

test('polls hidden on two devices are shown on both after their user shows them again on one device', async () => {
  const testUser = await world.addUser(0);
  const [firstDevice, secondDevice] = [scenario.addDevice(testUser), scenario.addDevice(testUser)];
  const otherMaker = await world.addUser(0);
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  const [otherPollId = ''] = await world.addPolls(otherMaker.user.id, 1);
  const hiding = [report(pollId), block(otherMaker.user.username)];
  const undoing = [takeBackReport(pollId), unblock(otherMaker.user.username)];
  for (const device of [firstDevice, secondDevice]) {
    await (await device.tab()).engine.pullFeed();
    for (const operation of hiding) await changeVisibility(device, 0, operation);
    await untilIdle(scenario.devices);
    const shownIds = await shownOn(device);
    expect([shownIds.includes(pollId), shownIds.includes(otherPollId)]).toEqual([false, false]);
    await advanceClocks(scenario.devices, 5_000);
  }
  for (const operation of undoing) await changeVisibility(firstDevice, 0, operation);
  await untilIdle(scenario.devices);
  for (const device of [firstDevice, secondDevice]) {
    await (await device.tab()).engine.pullFeed();
    expect(await shownOn(device)).toEqual(expect.arrayContaining([pollId, otherPollId]));
  }
  await scenario.finish();
});

test('an outdated list that arrives after the response to a report does not show the reported poll', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const { engine } = await device.tab();
  const [pollId = ''] = await world.addPolls(maker.user.id, 1);
  const responseGate = Promise.withResolvers<void>();
  device.responseDelay = { method: 'GET', until: responseGate.promise };
  const reading = engine.pullFeed();
  await vi.waitFor(() => expect(device.delayedResponses).toBe(1));
  await changeVisibility(device, 0, report(pollId));
  await vi.waitFor(async () => expect(await scenario.queuedOps(device)).toEqual([]));
  responseGate.resolve();
  device.responseDelay = null;
  await reading;
  await untilIdle(scenario.devices);
  expect(await shownOn(device)).not.toContain(pollId);
  await scenario.finish();
});
