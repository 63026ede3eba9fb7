import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { create, vote } from './acts.ts';
import type { Device } from './device.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { toPoison } from './send-watch.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

const ATTEMPT_WITHIN_S = 35;
/** After an answer that named a time. */
const NAMED_ATTEMPT_WITHIN_S = 65;
const SMALL_OPS = 50;
const SMALL_OPS_WITHIN_MS = 10_000;

const world = await createWorld();
afterAll(() => world.close());
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(() => {
  stage = createStage(world);
});

/** Nobody does anything: after how many seconds of the device's the next attempt follows. */
async function secondsUntilAttempt(device: Device): Promise<number> {
  const { attempts } = device.sends;
  for (let seconds = 0; seconds <= 2 * NAMED_ATTEMPT_WITHIN_S; seconds += 1) {
    if (device.sends.attempts > attempts) return seconds;
    await passTime([device], 1_000);
  }
  return Number.POSITIVE_INFINITY;
}

describe('while somebody is logged in and something waits, the next attempt follows within 35 seconds', () => {
  test('of what another tab has left behind', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    await device.tab();
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    const userId = device.person.user.id;
    await device.withDb(userId, (db) => queueVote(db, { userId, pollId, option: 1 }, device.clock.now()));
    expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    await stage.endWell();
  });

  test.each([
    { kind: 'a lock of its own for each tab', hasSharedLock: false },
    { kind: 'a lock that spans the tabs', hasSharedLock: true },
  ])('of what a tab was sending when it was killed, with $kind', async ({ hasSharedLock }) => {
    const device = stage.deviceOf(await world.addUser(0), hasSharedLock);
    const first = await device.tab(0);
    await device.tab(1);
    first.endBy({ kind: 'kill_at_answer', count: 1 });
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilQuiet([device]);
    expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    await stage.endWell();
  });

  test('again and again without a network, and once it is back without any sign of it', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    await device.tab();
    device.isOnline = false;
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilQuiet([device]);
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    }
    device.isOnline = true;
    expect(await secondsUntilAttempt(device)).toBeLessThanOrEqual(ATTEMPT_WITHIN_S);
    expect(await stage.opsOf(device)).toEqual([]);
    await stage.endWell();
  });

  test('or within 65 after an answer that named a time, however long', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    world.opFaults.push('try_in_an_hour');
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilQuiet([device]);
    const seconds = await secondsUntilAttempt(device);
    expect(seconds).toBeGreaterThan(ATTEMPT_WITHIN_S);
    expect(seconds).toBeLessThanOrEqual(NAMED_ATTEMPT_WITHIN_S);
    await stage.endWell();
  });
});

describe('an op that never gets an answer is tried once before the others, and not again until they are through', () => {
  async function orderOfAttempts(device: Device): Promise<string[]> {
    await untilQuiet([device]);
    const ops = await stage.opsOf(device);
    const names = new Map(ops.map(({ opId }, place) => [opId, 'ABCDEFGH'[place] ?? '?']));
    device.sends.poison = toPoison(ops);
    // As after a reload: what was learnt without a network is forgotten.
    device.tabs[0]?.kill();
    const before = device.sends.log.length;
    device.isOnline = true;
    await device.tab();
    await passTime([device], 120_000);
    const order = device.sends.log.slice(before).map((key) => names.get(key) ?? '?');
    device.sends.poison = null;
    await stage.endWell();
    return order;
  }

  function expectOneFailureBefore(order: string[], others: string): void {
    const first = order.slice(0, others.length + 1);
    expect(first.filter((name) => name === 'A').length).toBeLessThanOrEqual(1);
    expect(
      order
        .filter((name) => name !== 'A')
        .toSorted()
        .join(''),
    ).toBe(others);
    expect(new Set(first)).toEqual(new Set(['A', ...others]));
  }

  test('votes', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    await device.tab();
    device.isOnline = false;
    await vote(device, 0, await world.addPolls(maker.user.id, 6), 1);
    expectOneFailureBefore(await orderOfAttempts(device), 'BCDEF');
  });

  test('polls', async () => {
    const device = stage.deviceOf(await world.addUser(40));
    await device.tab();
    device.isOnline = false;
    for (const title of ['one', 'two', 'three', 'four']) await create(device, 0, 10, title);
    expectOneFailureBefore(await orderOfAttempts(device), 'BCD');
  });
});

test('50 votes that wait are through 10 seconds of the device after the network is back', {
  timeout: 60_000,
}, async ({ annotate }) => {
  const device = stage.deviceOf(await world.addUser(0), true);
  await device.tab();
  device.isOnline = false;
  await vote(device, 0, await world.addPolls(maker.user.id, SMALL_OPS), 1);
  await untilQuiet([device]);
  expect(await stage.opsOf(device)).toHaveLength(SMALL_OPS);
  device.isOnline = true;
  const startedAt = performance.now();
  const backAt = device.clock.now();
  (await device.tab()).engine.tryConnection();
  await untilQuiet([device]);
  while ((await stage.opsOf(device)).length > 0 && device.clock.now() - backAt < SMALL_OPS_WITHIN_MS) {
    await passTime([device], 1_000);
  }
  await annotate(
    `took ${device.clock.now() - backAt} ms of the device, ${Math.round(performance.now() - startedAt)} ms of this machine`,
  );
  expect(await stage.opsOf(device)).toEqual([]);
  expect(device.clock.now() - backAt).toBeLessThanOrEqual(SMALL_OPS_WITHIN_MS);
  await stage.endWell();
});
