import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { queueVote } from '#sync/testing/queue-vote.ts';
import type { Device } from './device.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { choosePoisonOp } from './send-monitor.ts';
import { create, vote } from './user-actions.ts';
import { createWorld } from './world.ts';

const ATTEMPT_WITHIN_S = 35;
/** The same after a response with `Retry-After`. */
const RETRY_AFTER_WITHIN_S = 65;
const WAITING_VOTES = 50;
const SENT_WITHIN_MS = 10_000;

const world = await createWorld();
afterAll(() => world.close());
const maker = await world.addUser(0);

let scenario: Scenario;
beforeEach(() => {
  scenario = createScenario(world);
});

/** The seconds on the device's clock until the next attempt, without further actions. */
async function secondsUntilAttempt(device: Device): Promise<number> {
  const { attempts } = device.sends;
  for (let seconds = 0; seconds <= 2 * RETRY_AFTER_WITHIN_S; seconds += 1) {
    if (device.sends.attempts > attempts) return seconds;
    await advanceClocks([device], 1_000);
  }
  return Number.POSITIVE_INFINITY;
}

describe('the next attempt to send a waiting op', () => {
  test('follows within 35 seconds if a closed tab has queued the op', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    await device.tab();
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    const userId = device.testUser.user.id;
    await device.withDb(userId, (db) => queueVote(db, { userId, pollId, option: 1 }, device.clock.now()));
    expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    await scenario.finish();
  });

  test.each([
    { locks: 'separate locks for each tab', hasSharedLock: false },
    { locks: 'locks shared by the tabs', hasSharedLock: true },
  ])(
    'follows within 35 seconds if the tab that was sending the op is killed, with $locks',
    async ({ hasSharedLock }) => {
      const device = scenario.addDevice(await world.addUser(0), { hasSharedLock });
      const firstTab = await device.tab(0);
      await device.tab(1);
      firstTab.scheduleFault({ kind: 'kill_at_response', count: 1 });
      await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
      await untilIdle([device]);
      expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
      await scenario.finish();
    },
  );

  test('follows within 35 seconds while offline, and after the device comes online without an event', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    await device.tab();
    device.isOnline = false;
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilIdle([device]);
    // The pause between attempts grows up to the sixth attempt.
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    }
    device.isOnline = true;
    expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    expect(await scenario.queuedOps(device)).toEqual([]);
    await scenario.finish();
  });

  test('follows within 65 seconds after a response with a longer Retry-After', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    world.opFaults.push('retry_in_an_hour');
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilIdle([device]);
    const seconds = await secondsUntilAttempt(device);
    expect(seconds).toBeGreaterThan(ATTEMPT_WITHIN_S);
    expect(seconds).toBeLessThanOrEqual(RETRY_AFTER_WITHIN_S);
    await scenario.finish();
  });
});

describe('an op that never gets a response is sent at most once before the other ops have been sent', () => {
  async function orderOfAttempts(device: Device): Promise<string[]> {
    await untilIdle([device]);
    const ops = await scenario.queuedOps(device);
    const nameByOpId = new Map(ops.map(({ opId }, index) => [opId, 'ABCDEFGH'[index] ?? '?']));
    device.sends.poison = choosePoisonOp(ops);
    // Like a reloaded tab, the new tab knows nothing of the attempts while offline.
    device.tabs[0]?.kill();
    const attemptsBefore = device.sends.log.length;
    device.isOnline = true;
    await device.tab();
    await advanceClocks([device], 120_000);
    const order = device.sends.log.slice(attemptsBefore).map((key) => nameByOpId.get(key) ?? '?');
    device.sends.poison = null;
    await scenario.finish();
    return order;
  }

  /** Expects that op A, which never gets a response, is sent at most once before the other ops, each of which is sent once. */
  function expectAtMostOneFailureBefore(order: string[], otherOps: string): void {
    const firstAttempts = order.slice(0, otherOps.length + 1);
    expect(firstAttempts.filter((name) => name === 'A').length).toBeLessThanOrEqual(1);
    const attemptsOfOthers = order.filter((name) => name !== 'A');
    expect(attemptsOfOthers.toSorted()).toEqual([...otherOps]);
    expect(new Set(firstAttempts)).toEqual(new Set(['A', ...otherOps]));
  }

  test('in the lane of votes', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    await device.tab();
    device.isOnline = false;
    await vote(device, 0, await world.addPolls(maker.user.id, 6), 1);
    expectAtMostOneFailureBefore(await orderOfAttempts(device), 'BCDEF');
  });

  test('in the lane of creations', async () => {
    const device = scenario.addDevice(await world.addUser(40));
    await device.tab();
    device.isOnline = false;
    for (const title of ['one', 'two', 'three', 'four']) await create(device, 0, 10, title);
    expectAtMostOneFailureBefore(await orderOfAttempts(device), 'BCD');
  });
});

test('50 waiting votes are sent within 10 seconds of device time after the device is online again', {
  timeout: 60_000,
}, async ({ annotate }) => {
  const device = scenario.addDevice(await world.addUser(0), { hasSharedLock: true });
  await device.tab();
  device.isOnline = false;
  await vote(device, 0, await world.addPolls(maker.user.id, WAITING_VOTES), 1);
  await untilIdle([device]);
  expect(await scenario.queuedOps(device)).toHaveLength(WAITING_VOTES);
  device.isOnline = true;
  const startedAt = performance.now();
  const onlineAt = device.clock.now();
  (await device.tab()).engine.tryConnection();
  await untilIdle([device]);
  while ((await scenario.queuedOps(device)).length > 0 && device.clock.now() - onlineAt < SENT_WITHIN_MS) {
    await advanceClocks([device], 1_000);
  }
  await annotate(
    `took ${device.clock.now() - onlineAt} ms of the device's clock, ${Math.round(performance.now() - startedAt)} ms of real time`,
  );
  expect(await scenario.queuedOps(device)).toEqual([]);
  expect(device.clock.now() - onlineAt).toBeLessThanOrEqual(SENT_WITHIN_MS);
  await scenario.finish();
});
