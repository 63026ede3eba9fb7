import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { restoreBackup, takeBackup } from './backup.ts';
import type { CommitFault } from './cluster.ts';
import type { Device } from './device.ts';
import type { CoveredEvent } from './event-coverage.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { missingImages, orphanedFiles, sweepFiles } from './image-files.ts';
import { restoreServer } from './restore.ts';
import { createScenario, NEXT_ATTEMPT_WITHIN_MS, type Scenario } from './scenario.ts';
import { changeVisibility, create, report, vote } from './user-actions.ts';
import { createWorld } from './world.ts';

/**
 * One hand-written history for each server or database fault of the random histories: checks that the fault occurs, and its
 * effects. `scenario.finish` also checks that nothing is lost or sent twice, and that each device shows the data of the server.
 */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const { cluster, limits, newer } = world;
const maker = await world.addUser(0);

let scenario: Scenario;
beforeEach(async () => {
  scenario = createScenario(world);
  world.coverage.counts.clear();
  await world.switchServer('current');
});

const countOf = (event: CoveredEvent) => world.coverage.counts.get(event) ?? 0;

async function pollsOf({ testUser }: Device): Promise<number> {
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from polls where user_id = ${testUser.user.id}`;
  return count;
}

/** An offline device with waiting votes and a waiting creation. */
async function waitingDevice(votes: number): Promise<Device> {
  const device = scenario.addDevice(await world.addUser(10));
  await device.tab();
  device.isOnline = false;
  await vote(device, 0, await world.addPolls(maker.user.id, votes), 1);
  await create(device, 0, 10, 'waiting');
  await untilIdle([device]);
  return device;
}

test('votes and a creation during which the server is killed take effect exactly once', async () => {
  const device = await waitingDevice(6);
  const faults: CommitFault[] = ['kill_before_commit', 'kill_after_commit', 'kill_before_commit'];
  cluster.commitFaults.push(...faults);
  device.isOnline = true;
  (await device.tab()).engine.tryConnection();
  for (const _ of faults) {
    await untilIdle([device]);
    await cluster.settle();
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
  }
  expect(cluster.commitFaults).toEqual([]);
  expect(countOf('a server was killed during a request')).toBeGreaterThan(1);
  await advanceClocks([device], 60_000);
  expect(await scenario.queuedOps(device)).toEqual([]);
  expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([6, 1]);
  await scenario.finish();
});

test('a request that two servers receive at the same moment takes effect once', async () => {
  const device = scenario.addDevice(await world.addUser(10));
  cluster.processes = 2;
  try {
    for (let round = 0; round < 4; round += 1) {
      world.opFaults.push('duplicate');
      await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
      await untilIdle([device]);
    }
    world.opFaults.push('duplicate');
    await create(device, 0, 10, 'duplicate');
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
  } finally {
    cluster.processes = 1;
  }
  expect(countOf('the second of two servers got a request')).toBeGreaterThan(0);
  expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([4, 1]);
  await scenario.finish();
});

describe('if the connection to the database breaks', () => {
  test.each([
    { fault: 'before_commit' as const, moment: 'before the commit', votes: 0 },
    { fault: 'after_commit' as const, moment: 'after the commit', votes: 1 },
  ])('$moment, a vote waits and then takes effect exactly once', async ({ fault, votes }) => {
    const device = scenario.addDevice(await world.addUser(0));
    await device.tab();
    cluster.commitFaults.push(fault);
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilIdle([device]);
    expect(cluster.commitFaults).toEqual([]);
    expect(await scenario.votesOf(device)).toBe(votes);
    expect(await scenario.queuedOps(device)).toMatchObject([{ state: 'queued', attempts: 1 }]);
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    expect(device.sends.attempts).toBe(2);
    expect(await scenario.votesOf(device)).toBe(1);
    await scenario.finish();
  });

  test.each([
    { fault: 'before_commit' as const, moment: 'before the commit', polls: 0 },
    { fault: 'after_commit' as const, moment: 'after the commit', polls: 1 },
  ])(
    '$moment, a creation waits and then takes effect exactly once, with its images',
    async ({ fault, polls }) => {
      const device = scenario.addDevice(await world.addUser(10));
      await device.tab();
      cluster.commitFaults.push(fault);
      await create(device, 0, 10, fault);
      await untilIdle([device]);
      expect(cluster.commitFaults).toEqual([]);
      expect(await pollsOf(device)).toBe(polls);
      expect(await scenario.queuedOps(device)).toHaveLength(1);
      await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
      expect(await scenario.queuedOps(device)).toEqual([]);
      expect(await pollsOf(device)).toBe(1);
      await sweepFiles(world);
      expect([await orphanedFiles(world), await missingImages(world)]).toEqual([[], []]);
      await scenario.finish();
    },
  );
});

test('a vote that exceeds a rate limit waits for Retry-After and is sent again', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  await device.tab();
  limits.refusalProbability = 1;
  limits.refusalsLeft = 8;
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilIdle([device]);
  expect(countOf('a rate limit refused a call')).toBeGreaterThan(0);
  expect(device.lastRetryAfterAt).toBeGreaterThan(0);
  expect(await scenario.queuedOps(device)).toHaveLength(1);
  await advanceClocks([device], 600_000);
  expect(limits.refusalsLeft).toBe(0);
  expect(await scenario.queuedOps(device)).toEqual([]);
  expect(await scenario.votesOf(device)).toBe(1);
  await scenario.finish();
});

test('a restored server has exactly the votes, polls and images of the backup', async () => {
  const device = scenario.addDevice(await world.addUser(20));
  await create(device, 0, 10, 'in the backup');
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
  const backup = await takeBackup(world);
  await create(device, 0, 10, 'after the backup');
  await vote(device, 0, await world.addPolls(maker.user.id, 2), 1);
  await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
  expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([3, 2]);
  await restoreBackup(world, backup);
  expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([1, 1]);
  expect(await violatedInvariants(db)).toEqual([]);
  await sweepFiles(world);
  expect([await orphanedFiles(world), await missingImages(world)]).toEqual([[], []]);
  device.close();
});

describe('a device whose server was restored', () => {
  test('sends the ops that the backup lacks and those queued since, and shows the data of the server', async () => {
    const device = scenario.addDevice(await world.addUser(10));
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    const laterPolls = await world.addPolls(maker.user.id, 2);
    const backup = await takeBackup(world);
    await vote(device, 0, laterPolls.slice(0, 1), 1);
    await create(device, 0, 10, 'lost by the restore');
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    device.isOnline = false;
    await restoreServer(world, [device], backup);
    await vote(device, 0, laterPolls.slice(1), 1);
    device.isOnline = true;
    await device.logIn(0, device.testUser);
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([3, 1]);
    await scenario.finish();
  });
});

describe('on a newer server', () => {
  test('a poll with an unknown status is stored as inactive until the next response corrects it', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    const { engine } = await device.tab();
    Object.assign(newer, { isOn: true, unknownShare: 1 });
    try {
      expect(await engine.pullFeed()).toBe('updated');
    } finally {
      Object.assign(newer, { isOn: false, unknownShare: 0 });
    }
    expect(countOf('a response had an unknown poll status')).toBeGreaterThan(0);
    const storedPoll = () => device.withDb(device.testUser.user.id, (own) => own.polls.get(pollId));
    expect(await storedPoll()).toMatchObject({ status: 'inactive' });
    expect(await engine.pullFeed()).toBe('updated');
    expect(await storedPoll()).toMatchObject({ status: 'active' });
    await scenario.finish();
  });

  test('an op refused with an unknown error code needs a decision after some attempts', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    const polls = await world.addPolls(maker.user.id, 1);
    await device.tab();
    await world.deactivatePoll(polls[0] ?? '');
    Object.assign(newer, { isOn: true, unknownShare: 1 });
    try {
      await vote(device, 0, polls, 1);
      await advanceClocks([device], 300_000);
    } finally {
      Object.assign(newer, { isOn: false, unknownShare: 0 });
    }
    expect(countOf('a response had an unknown error code')).toBeGreaterThan(1);
    expect(await scenario.queuedOps(device)).toMatchObject([{ state: 'needs_attention' }]);
    await scenario.finish();
  });
});

test('a vote whose call the server does not know is kept until a retry on a server that knows it', async () => {
  const device = scenario.addDevice(await world.addUser(0));
  const polls = await world.addPolls(maker.user.id, 1);
  const { engine } = await device.tab();
  expect(await engine.pullFeed()).toBe('updated');
  newer.lacksVoteCalls = true;
  try {
    await vote(device, 0, polls, 1);
    await advanceClocks([device], 300_000);
  } finally {
    newer.lacksVoteCalls = false;
  }
  const ops = await scenario.queuedOps(device);
  expect(ops).toMatchObject([{ state: 'needs_attention', lastError: { code: 'unknown_endpoint' } }]);
  expect(await device.withDb(device.testUser.user.id, (own) => own.polls.get(polls[0] ?? ''))).toBeDefined();
  await device.perform(0, (tab) => tab.engine.tryAgain(ops[0]?.opId ?? ''));
  await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
  expect(await scenario.votesOf(device)).toBe(1);
  await scenario.finish();
});

test('unknown fields of a newer server are ignored, and not stored', async () => {
  const device = await waitingDevice(2);
  newer.isOn = true;
  try {
    device.isOnline = true;
    device.tabs[0]?.kill();
    const { engine } = await device.tab();
    await advanceClocks([device], 91_000);
    expect(await scenario.queuedOps(device)).toEqual([]);
    expect(engine.connection.get()).toEqual({ phase: 'connected' });
    expect(await engine.pullFeed()).toBe('updated');
    await scenario.finish();
  } finally {
    newer.isOn = false;
  }
  expect(countOf('a newer server responded')).toBeGreaterThan(3);
  expect(countOf('a socket sent an unknown message')).toBeGreaterThan(0);
  const stored = await device.withDb(device.testUser.user.id, (own) => own.polls.toArray());
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain('addedLater');
  device.close();
});

describe('a server of an earlier release', () => {
  test('accepts votes and polls, and its lists are shown', async () => {
    const device = await waitingDevice(3);
    const { engine } = await device.tab();
    await world.switchServer('older');
    device.isOnline = true;
    engine.tryConnection();
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    expect(await scenario.queuedOps(device)).toEqual([]);
    expect([await scenario.votesOf(device), await pollsOf(device)]).toEqual([3, 1]);
    for (const pull of [engine.pullFeed, engine.pullMine, engine.pullTrending]) {
      expect(await pull()).toBe('updated');
    }
    const cached = await device.withDb(device.testUser.user.id, (own) => own.polls.toArray());
    expect(cached.length).toBeGreaterThan(3);
    // That release has no share links.
    expect(cached.filter((poll) => 'shareUrl' in poll)).toEqual([]);

    await world.switchServer('current');
    expect(await engine.pullFeed()).toBe('updated');
    await scenario.finish();
    const updatedPolls = await device.withDb(device.testUser.user.id, (own) => own.polls.toArray());
    expect(updatedPolls.filter((poll) => !('shareUrl' in poll))).toEqual([]);
    expect(countOf('an older server responded')).toBeGreaterThan(3);
  });

  test('leaves a report waiting on the device until the user retries it on the current server', async () => {
    const device = scenario.addDevice(await world.addUser(0));
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    const { engine } = await device.tab();
    await world.switchServer('older');
    await changeVisibility(device, 0, report(pollId));
    // That release has no notifications either.
    expect(await engine.pullNotifications()).toBe('failed');
    await advanceClocks([device], 300_000);
    const ops = await scenario.queuedOps(device);
    expect(ops).toMatchObject([{ state: 'needs_attention', lastError: { code: 'unknown_endpoint' } }]);

    await world.switchServer('current');
    await device.perform(0, (tab) => tab.engine.tryAgain(ops[0]?.opId ?? ''));
    await advanceClocks([device], NEXT_ATTEMPT_WITHIN_MS);
    expect(await scenario.queuedOps(device)).toEqual([]);
    const reports = await db.sql`select 1 from poll_reports where poll_id = ${pollId}`;
    expect(reports).toHaveLength(1);
    await scenario.finish();
  });
});
