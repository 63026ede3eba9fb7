import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { create, vote } from './acts.ts';
import type { Device } from './device.ts';
import type { Happening } from './happenings.ts';
import { leftFiles, lostPictures, sweepFiles } from './left-files.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

/** What happens to servers and their database in random histories, by hand: that it happens, and what comes of it. */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const { cluster, limits, newer } = world;
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(() => {
  stage = createStage(world);
  world.happenings.counts.clear();
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
  const before = (await device.tab()).engine;
  for (const request of [2, 5, 7]) {
    cluster.killAtRequest(request);
    device.isOnline = true;
    before.tryConnection();
    await untilQuiet([device]);
    await cluster.settle();
    await passTime([device], 31_000);
  }
  expect(happened('a server was killed while it worked on something')).toBeGreaterThan(0);
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
  ])('$what leaves it waiting, which is then made once, with its pictures', async ({ cut, polls }) => {
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
    expect([await leftFiles(world), await lostPictures(world)]).toEqual([[], []]);
    await stage.endWell();
  });
});

test('votes that a rate limit refuses wait as long as they are told to, and go out again', async () => {
  const device = stage.deviceOf(await world.addUser(0));
  await device.tab();
  limits.share = 1;
  limits.left = 4;
  await vote(device, 0, await world.addPolls(maker.user.id, 3), 1);
  await untilQuiet([device]);
  expect(happened('a call was refused by a rate limit')).toBeGreaterThan(0);
  expect(device.lastPutOffAt).toBeGreaterThan(0);
  expect(await stage.opsOf(device)).toHaveLength(3);
  await passTime([device], 360_000);
  expect(limits.left).toBe(0);
  expect(await stage.opsOf(device)).toEqual([]);
  expect(await votesOf(device)).toBe(3);
  await stage.endWell();
});

test('fields that only a newer server knows are not stored and do no harm', async () => {
  const device = await waitingDevice(2);
  newer.isOn = true;
  try {
    device.isOnline = true;
    const { engine } = await device.tab();
    engine.tryConnection();
    await passTime([device], 31_000);
    expect(await stage.opsOf(device)).toEqual([]);
    expect(await engine.pullFeed()).toBe('updated');
    await stage.endWell();
  } finally {
    newer.isOn = false;
  }
  expect(happened('an answer came from a newer server')).toBeGreaterThan(3);
  const stored = await device.withDb(device.person.user.id, (own) => own.polls.toArray());
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain('addedLater');
  device.close();
});
