import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#shared/time.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import type { CoveredEvent } from './event-coverage.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { CURRENT, loadReleases } from './releases.ts';
import { createScenario, type Scenario } from './scenario.ts';
import {
  block,
  changeVisibility,
  create,
  logOut,
  performConcurrently,
  unblock,
  vote,
} from './user-actions.ts';
import { createWorld } from './world.ts';

/**
 * Hand-written histories for the device faults of the random histories, except killed tabs (`killed-tab.test.ts`): each checks
 * that the fault occurs, and its effects.
 * `scenario.finish` also checks that nothing is lost or sent twice, and that each device shows the data of the server.
 */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let scenario: Scenario;
beforeEach(() => {
  scenario = createScenario(world);
  world.coverage.counts.clear();
});

const countOf = (event: CoveredEvent) => world.coverage.counts.get(event) ?? 0;
const newPolls = (count: number) => world.addPolls(maker.user.id, count);

describe('a tab that remains frozen while it sends', () => {
  test.each([false, true])(
    'is replaced by another tab, which sends the rest (shared locks: %s)',
    async (hasSharedLock) => {
      const device = scenario.addDevice(await world.addUser(0), { hasSharedLock });
      const frozen = await device.tab(0);
      const polls = await newPolls(4);
      device.isOnline = false;
      await vote(device, 0, polls, 1);
      await untilIdle([device]);
      frozen.scheduleFault({ kind: 'freeze_at_response', count: 1 });
      device.isOnline = true;
      frozen.engine.tryConnection();
      await untilIdle([device]);
      device.abandonFrozenTabs();
      expect(countOf('a tab remained frozen')).toBe(1);
      expect(countOf('a tab that held a lock remained frozen')).toBe(hasSharedLock ? 1 : 0);
      await device.tab(0);
      await advanceClocks([device], 35_000);
      expect(await scenario.votesOf(device)).toBe(4);
      expect(frozen.isFrozen).toBe(true);
      await scenario.finish();
    },
  );
});

describe('logins and logouts', () => {
  test.each([true, false])(
    'concurrent with votes and creations lose no stored op (broadcast channel: %s)',
    async (hasChannel) => {
      const testUser = await world.addUser(30);
      const otherUser = await world.addUser(30);
      const device = scenario.addDevice(testUser, { hasSharedLock: hasChannel, hasChannel });
      await device.tab(0);
      await device.tab(1);
      const polls = await newPolls(3);
      const testUsers = [testUser, otherUser];
      await performConcurrently(
        device,
        [
          { kind: 'vote', tab: 0, poll: 0, option: 1 },
          { kind: 'create', tab: 1 },
          { kind: 'log_out', tab: 0, waiting: 'keep' },
          { kind: 'read', tab: 1 },
          { kind: 'vote', tab: 1, poll: 1, option: 2 },
        ],
        { polls, testUsers },
      );
      await untilIdle([device]);
      expect(device.durableOps.size).toBeGreaterThan(0);
      await performConcurrently(
        device,
        [
          { kind: 'log_in', tab: 1, user: 1 },
          { kind: 'log_in', tab: 0, user: 0 },
          { kind: 'vote', tab: 0, poll: 2, option: 1 },
          { kind: 'send', tab: 1 },
        ],
        { polls, testUsers },
      );
      await untilIdle([device]);
      expect(countOf('tabs had no broadcast channel') > 0).toBe(!hasChannel);
      await scenario.finish();
    },
  );

  test('that a tab has missed do not make it send anything as the next user', async () => {
    const testUser = await world.addUser(0);
    const otherUser = await world.addUser(0);
    const device = scenario.addDevice(testUser, { hasSharedLock: true, hasChannel: false });
    await device.tab(0);
    await device.tab(1);
    await vote(device, 0, await newPolls(1), 1);
    await untilIdle([device]);
    device.isOnline = false;
    await vote(device, 0, await newPolls(1), 1);
    await logOut(device, 0, 'keep');
    device.isOnline = true;
    await device.logIn(0, otherUser);
    expect(device.userOf(await device.tab(1))?.id).toBe(testUser.user.id);
    await vote(device, 1, await newPolls(1), 1);
    await advanceClocks([device], 31_000);
    const otherVotes = await db.sql`select poll_id from votes where user_id = ${otherUser.user.id}`;
    expect(otherVotes).toEqual([]);
    await scenario.finish();
    expect(await scenario.votesOf(device)).toBe(3);
  });
});

test('logOut of these tests cancels a freeze that is scheduled for its tab, because a logout in a frozen tab would never end', async () => {
  const device = scenario.addDevice(await world.addUser(0), { hasSharedLock: true });
  const tab = await device.tab();
  const polls = await newPolls(1);
  await untilIdle([device]);
  tab.scheduleFault({ kind: 'freeze_at_response', count: 1 });
  world.opFaults.push('delay_response');
  await vote(device, 0, polls, 1);
  await vi.waitFor(() => expect(device.sends.attempts).toBe(1), { interval: 1 });
  // The calls of the logout take longer, too, so that the response to the vote arrives during the logout.
  world.faults.push('delay_response', 'delay_response');
  await logOut(device, 0, 'keep');
  world.faults.length = 0;
  expect(tab.isFrozen).toBe(false);
  await scenario.finish();
});

test('a logout that keeps the waiting ops also keeps a poll stored during the logout', {
  timeout: 60_000,
}, async () => {
  let roundsWithPoll = 0;
  for (let round = 0; round < 10; round += 1) {
    const device = scenario.addDevice(await world.addUser(10));
    await device.tab(0);
    await untilIdle([device]);
    device.isOnline = false;
    await performConcurrently(
      device,
      [
        { kind: 'create', tab: 0 },
        { kind: 'log_out', tab: 0, waiting: 'keep' },
      ],
      { polls: [], testUsers: [] },
    );
    await untilIdle([device]);
    expect(await device.opIdsOf(device.testUser.user.id)).toEqual([...device.durableOps.keys()]);
    roundsWithPoll += device.durableOps.size;
    await scenario.finish();
  }
  expect(roundsWithPoll).toBeGreaterThan(0);
});

describe('a device whose quota is exceeded', () => {
  test('throws an error for a vote that it cannot store, and accepts votes again once there is storage', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    await device.tab();
    device.quota.failWrites({ after: 0, count: Number.POSITIVE_INFINITY });
    const [firstPollId = '', secondPollId = ''] = await newPolls(2);
    const { engine } = await device.tab();
    await expect(engine.queue(newVote(firstPollId, 1))).rejects.toMatchObject({ code: 'storage_full' });
    expect(countOf('a write exceeded the quota')).toBeGreaterThan(0);
    expect(await scenario.queuedOps(device)).toEqual([]);
    device.quota.failWrites({ after: 0, count: 0 });
    await vote(device, 0, [secondPollId], 1);
    await untilIdle([device]);
    expect(await scenario.votesOf(device)).toBe(1);
    await scenario.finish();
  });

  test('at any write while sending loses no op and sends none twice', { timeout: 120_000 }, async () => {
    let writesBefore = 0;
    // Until all writes have succeeded before the first one that would fail.
    for (let hasWriteFailed = true; hasWriteFailed; writesBefore += 1) {
      expect(writesBefore).toBeLessThan(100);
      const device = scenario.addDevice(await world.addUser(10));
      const { engine } = await device.tab();
      device.isOnline = false;
      await vote(device, 0, await newPolls(2), 1);
      await create(device, 0, 10, `poll ${writesBefore}`);
      await untilIdle([device]);
      device.isOnline = true;
      world.coverage.counts.clear();
      device.quota.failWrites({ after: writesBefore, count: 2 });
      engine.tryConnection();
      await untilIdle([device]);
      hasWriteFailed = countOf('a write exceeded the quota') > 0;
      await scenario.finish();
      expect(await scenario.votesOf(device)).toBe(2);
    }
    expect(writesBefore).toBeGreaterThan(5);
  });
});

describe('a device whose databases are evicted', () => {
  test.each([true, false])(
    'shows the data of the server and sends new votes (app closed: %s)',
    async (isClosed) => {
      const device = scenario.addDevice(await world.addUser(10));
      const { engine } = await device.tab();
      await engine.pullFeed();
      device.isOnline = false;
      await vote(device, 0, await newPolls(1), 1);
      await untilIdle([device]);
      await device.evict({ isClosed });
      expect(
        countOf(
          isClosed
            ? 'the databases of a closed device were evicted'
            : 'the databases of an open tab were evicted',
        ),
      ).toBe(1);
      expect(await scenario.queuedOps(device)).toEqual([]);
      device.isOnline = true;
      await device.logIn(0, device.testUser);
      await vote(device, 0, await newPolls(1), 1);
      await advanceClocks([device], 31_000);
      expect(await scenario.queuedOps(device)).toEqual([]);
      expect(await scenario.votesOf(device)).toBe(1);
      await scenario.finish();
    },
  );
});

test.each([MINUTE_MS, DAY_MS])(
  'a device whose clock was set back by %d ms shows polls again after another device has unblocked their maker',
  async (byMs) => {
    const testUser = await world.addUser(0);
    const [firstDevice, secondDevice] = [scenario.addDevice(testUser), scenario.addDevice(testUser)];
    await newPolls(1);
    for (const device of [firstDevice, secondDevice]) await device.tab();
    await changeVisibility(firstDevice, 0, block(maker.user.username));
    await untilIdle(scenario.devices);
    firstDevice.setClockBack(byMs);
    expect(countOf("a device's clock was set back")).toBe(1);
    await changeVisibility(secondDevice, 0, unblock(maker.user.username));
    await untilIdle(scenario.devices);
    await scenario.finish();
  },
);

test.each(await loadReleases())(
  'a device with release $name sends ops, and sends its waiting ops after its update',
  async (release) => {
    const device = scenario.addDevice(await world.addUser(10), { hasSharedLock: true, release });
    const oldTab = await device.tab();
    expect(oldTab.release.name).toBe(release.name);
    await vote(device, 0, await newPolls(2), 1);
    await untilIdle([device]);
    expect(await scenario.votesOf(device)).toBe(2);
    device.isOnline = false;
    await vote(device, 0, await newPolls(1), 1);
    await create(device, 0, 10, 'left by the old release');
    await untilIdle([device]);
    device.update();
    expect(oldTab.isDead).toBe(true);
    device.isOnline = true;
    expect((await device.tab()).release).toBe(CURRENT);
    await advanceClocks([device], 31_000);
    expect(await scenario.votesOf(device)).toBe(3);
    expect(await scenario.queuedOps(device)).toEqual([]);
    expect(countOf('a device was updated')).toBeGreaterThan(0);
    await scenario.finish();
  },
);
