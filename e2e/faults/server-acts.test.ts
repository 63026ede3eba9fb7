import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import { create, hide, reporting, vote } from './acts.ts';
import { restoreBackup, takeBackup } from './backup.ts';
import type { CommitFault } from './cluster.ts';
import type { Device } from './device.ts';
import type { Happening } from './happenings.ts';
import { leftFiles, lostImages, sweepFiles } from './left-files.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { restoreServer } from './restore.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

/** What happens to servers and their database in random histories, by hand: that it happens, and what comes of it. */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const { cluster, limits, newer } = world;
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(async () => {
  stage = createStage(world);
  world.happenings.counts.clear();
  await world.replaceServer(false);
});

const happened = (what: Happening) => world.happenings.counts.get(what) ?? 0;

async function votesOf({ person }: Device): Promise<number> {
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from votes where user_id = ${person.user.id}`;
  return count;
}

async function pollsOf({ person }: Device): Promise<number> {
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from polls where user_id = ${person.user.id}`;
  return count;
}

/** A device with votes and a poll that wait for a network. */
async function waitingDevice(votes: number): Promise<Device> {
  const device = stage.deviceOf(await world.addUser(10));
  await device.tab();
  device.isOnline = false;
  await vote(device, 0, await world.addPolls(maker.user.id, votes), 1);
  await create(device, 0, 10, 'on its way');
  await untilQuiet([device]);
  return device;
}

test('a server that is killed while it works on votes and a poll loses none and does none twice', async () => {
  const device = await waitingDevice(6);
  const faults: CommitFault[] = ['kill_before_commit', 'kill_after_commit', 'kill_before_commit'];
  cluster.cuts.push(...faults);
  device.isOnline = true;
  (await device.tab()).engine.tryConnection();
  for (const _ of faults) {
    await untilQuiet([device]);
    await cluster.settle();
    await passTime([device], 31_000);
  }
  expect(cluster.cuts).toEqual([]);
  expect(happened('a server was killed while it worked on something')).toBeGreaterThan(1);
  await passTime([device], 60_000);
  expect(await stage.opsOf(device)).toEqual([]);
  expect([await votesOf(device), await pollsOf(device)]).toEqual([6, 1]);
  await stage.endWell();
});

test('one request that two servers get at the same moment is done once', async () => {
  const device = stage.deviceOf(await world.addUser(10));
  cluster.processes = 2;
  try {
    for (let round = 0; round < 4; round += 1) {
      world.opFaults.push('duplicate');
      await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
      await untilQuiet([device]);
    }
    world.opFaults.push('duplicate');
    await create(device, 0, 10, 'seen twice');
    await passTime([device], 31_000);
  } finally {
    cluster.processes = 1;
  }
  expect(happened('two servers took turns')).toBeGreaterThan(0);
  expect([await votesOf(device), await pollsOf(device)]).toEqual([4, 1]);
  await stage.endWell();
});

describe('a connection to the database that breaks', () => {
  test.each([
    { cut: 'before_commit' as const, what: 'before a vote is done', votes: 0 },
    { cut: 'after_commit' as const, what: 'after a vote was done', votes: 1 },
  ])('$what leaves the vote waiting, which is then done once', async ({ cut, votes }) => {
    const device = stage.deviceOf(await world.addUser(0));
    await device.tab();
    cluster.cuts.push(cut);
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await untilQuiet([device]);
    expect(cluster.cuts).toEqual([]);
    expect(await votesOf(device)).toBe(votes);
    expect(await stage.opsOf(device)).toMatchObject([{ state: 'queued', attempts: 1 }]);
    await passTime([device], 31_000);
    expect(device.sends.attempts).toBe(2);
    expect(await votesOf(device)).toBe(1);
    await stage.endWell();
  });

  test.each([
    { cut: 'before_commit' as const, what: 'before the commit of a poll', polls: 0 },
    { cut: 'after_commit' as const, what: 'after the commit of a poll', polls: 1 },
  ])('$what leaves it waiting, which is then made once, with its images', async ({ cut, polls }) => {
    const device = stage.deviceOf(await world.addUser(10));
    await device.tab();
    cluster.cuts.push(cut);
    await create(device, 0, 10, cut);
    await untilQuiet([device]);
    expect(cluster.cuts).toEqual([]);
    expect(await pollsOf(device)).toBe(polls);
    expect(await stage.opsOf(device)).toHaveLength(1);
    await passTime([device], 31_000);
    expect(await stage.opsOf(device)).toEqual([]);
    expect(await pollsOf(device)).toBe(1);
    await sweepFiles(world);
    expect([await leftFiles(world), await lostImages(world)]).toEqual([[], []]);
    await stage.endWell();
  });
});

test('votes that a rate limit refuses wait as long as they are told to, and go out again', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  await device.tab();
  limits.share = 1;
  limits.left = 8;
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await untilQuiet([device]);
  expect(happened('a call was refused by a rate limit')).toBeGreaterThan(0);
  expect(device.lastPutOffAt).toBeGreaterThan(0);
  expect(await stage.opsOf(device)).toHaveLength(1);
  await passTime([device], 600_000);
  expect(limits.left).toBe(0);
  expect(await stage.opsOf(device)).toEqual([]);
  expect(await votesOf(device)).toBe(1);
  await stage.endWell();
});

test('a server that is restored has what the backup has, with its images, and not what came later', async () => {
  const device = stage.deviceOf(await world.addUser(20));
  await create(device, 0, 10, 'in the backup');
  await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
  await passTime([device], 31_000);
  const backup = await takeBackup(world);
  await create(device, 0, 10, 'after the backup');
  await vote(device, 0, await world.addPolls(maker.user.id, 2), 1);
  await passTime([device], 31_000);
  expect([await votesOf(device), await pollsOf(device)]).toEqual([3, 2]);
  await restoreBackup(world, backup);
  expect([await votesOf(device), await pollsOf(device)]).toEqual([1, 1]);
  expect(await brokenRules(db)).toEqual([]);
  await sweepFiles(world);
  expect([await leftFiles(world), await lostImages(world)]).toEqual([[], []]);
  device.close();
});

describe('a device whose server was restored', () => {
  test('sends again what the backup lacks, and what was stored since, and shows what the server has', async () => {
    const device = stage.deviceOf(await world.addUser(10));
    await vote(device, 0, await world.addPolls(maker.user.id, 1), 1);
    await passTime([device], 31_000);
    const later = await world.addPolls(maker.user.id, 2);
    const backup = await takeBackup(world);
    await vote(device, 0, later.slice(0, 1), 1);
    await create(device, 0, 10, 'lost by the restore');
    await passTime([device], 31_000);
    device.isOnline = false;
    await restoreServer(world, [device], backup);
    await vote(device, 0, later.slice(1), 1);
    device.isOnline = true;
    await device.logIn(0, device.person);
    await passTime([device], 31_000);
    expect([await votesOf(device), await pollsOf(device)]).toEqual([3, 1]);
    await stage.endWell();
  });
});

describe('what no release knows', () => {
  test('a poll state is shown, and gone with the next answer', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    await world.addPolls(maker.user.id, 1);
    const { engine } = await device.tab();
    Object.assign(newer, { isOn: true, share: 1 });
    try {
      expect(await engine.pullFeed()).toBe('updated');
    } finally {
      Object.assign(newer, { isOn: false, share: 0 });
    }
    expect(happened('an unknown poll status came')).toBeGreaterThan(0);
    await stage.endWell();
  });

  test('an error code is shown after some tries, and nothing is lost', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    const polls = await world.addPolls(maker.user.id, 1);
    await device.tab();
    await world.closePoll(polls[0] ?? '');
    Object.assign(newer, { isOn: true, share: 1 });
    try {
      await vote(device, 0, polls, 1);
      await passTime([device], 300_000);
    } finally {
      Object.assign(newer, { isOn: false, share: 0 });
    }
    expect(happened('an unknown error code came')).toBeGreaterThan(1);
    expect(await stage.opsOf(device)).toMatchObject([{ state: 'needs_attention' }]);
    await stage.endWell();
  });
});

test('a vote whose call the server no longer has is kept, and counts once it can be sent', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  const polls = await world.addPolls(maker.user.id, 1);
  const { engine } = await device.tab();
  expect(await engine.pullFeed()).toBe('updated');
  newer.hasMovedVotes = true;
  try {
    await vote(device, 0, polls, 1);
    await passTime([device], 300_000);
  } finally {
    newer.hasMovedVotes = false;
  }
  const ops = await stage.opsOf(device);
  expect(ops).toMatchObject([{ state: 'needs_attention', lastError: { code: 'unknown_endpoint' } }]);
  expect(await device.withDb(device.person.user.id, (own) => own.polls.get(polls[0] ?? ''))).toBeDefined();
  await device.act(0, (tab) => tab.engine.tryAgain(ops[0]?.opId ?? ''));
  await passTime([device], 31_000);
  expect(await votesOf(device)).toBe(1);
  await stage.endWell();
});

test('fields that only a newer server knows are not stored and do no harm', async () => {
  const device = await waitingDevice(2);
  newer.isOn = true;
  try {
    device.isOnline = true;
    device.tabs[0]?.kill();
    const { engine } = await device.tab();
    await passTime([device], 91_000);
    expect(await stage.opsOf(device)).toEqual([]);
    expect(engine.connection.get()).toEqual({ phase: 'connected' });
    expect(await engine.pullFeed()).toBe('updated');
    await stage.endWell();
  } finally {
    newer.isOn = false;
  }
  expect(happened('an answer came from a newer server')).toBeGreaterThan(3);
  expect(happened('an unknown message came over a socket')).toBeGreaterThan(0);
  const stored = await device.withDb(device.person.user.id, (own) => own.polls.toArray());
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain('addedLater');
  device.close();
});

describe('a server that is a release behind the app', () => {
  test('takes votes and polls, and its lists are shown', async () => {
    const device = await waitingDevice(3);
    const { engine } = await device.tab();
    await world.replaceServer(true);
    device.isOnline = true;
    engine.tryConnection();
    await passTime([device], 31_000);
    expect(await stage.opsOf(device)).toEqual([]);
    expect([await votesOf(device), await pollsOf(device)]).toEqual([3, 1]);
    for (const pull of [engine.pullFeed, engine.pullMine, engine.pullTrending]) {
      expect(await pull()).toBe('updated');
    }
    const mine = await device.withDb(device.person.user.id, (own) => own.polls.toArray());
    expect(mine.length).toBeGreaterThan(3);
    expect(mine.filter((poll) => 'shareUrl' in poll)).toEqual([]);

    await world.replaceServer(false);
    expect(await engine.pullFeed()).toBe('updated');
    await stage.endWell();
    const later = await device.withDb(device.person.user.id, (own) => own.polls.toArray());
    expect(later.filter((poll) => !('shareUrl' in poll))).toEqual([]);
    expect(happened('an answer came from an older server')).toBeGreaterThan(3);
  });

  test('keeps what it cannot do on the device, until the person tries it again on a newer one', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    const [pollId = ''] = await world.addPolls(maker.user.id, 1);
    const { engine } = await device.tab();
    await world.replaceServer(true);
    await hide(device, 0, reporting(pollId, false));
    expect(await engine.pullNotifications()).toBe('failed');
    await passTime([device], 300_000);
    const ops = await stage.opsOf(device);
    expect(ops).toMatchObject([{ state: 'needs_attention', lastError: { code: 'unknown_endpoint' } }]);

    await world.replaceServer(false);
    await device.act(0, (tab) => tab.engine.tryAgain(ops[0]?.opId ?? ''));
    await passTime([device], 31_000);
    expect(await stage.opsOf(device)).toEqual([]);
    const reports = await db.sql`select 1 from poll_reports where poll_id = ${pollId}`;
    expect(reports).toHaveLength(1);
    await stage.endWell();
  });
});
