import { afterAll, expect, test } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import { create, vote } from './acts.ts';
import { Device } from './device.ts';
import { checkDevices } from './device-invariants.ts';
import { askServer, differences } from './differences.ts';
import { heal, readAll } from './heal.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { freshDatabases } from './tab-databases.ts';
import { createWorld } from './world.ts';

/** More than the steps in which two votes and a poll are sent. */
const STEPS_MAX = 150;
/** At which of its changes the tab is killed that logs out; there are fewer. */
const LOG_OUT_CHANGES = 25;
const VOTES = 2;

const world = await createWorld();
afterAll(() => world.close());

/** Of each thing that an answer brings, whether the device has it: with the op gone all of it, before that nothing. */
async function halfStored(device: Device, polls: readonly string[]): Promise<string[]> {
  const { id } = device.person.user;
  return device.withDb(id, async (db) => {
    const broken: string[] = [];
    const ops = await db.ops.toArray();
    for (const pollId of polls) {
      const isQueued = ops.some((op) => op.entityId === pollId);
      const isVoted = ((await db.polls.get(pollId))?.votes.length ?? 0) > 0;
      if (isQueued === isVoted) broken.push(`${pollId} is queued: ${isQueued}, voted on: ${isVoted}`);
    }
    const isPollQueued = ops.some((op) => op.type === 'createPoll');
    const images = await db.opBlobs.count();
    if (images !== (isPollQueued ? 2 : 0)) broken.push(`${images} images, queued: ${isPollQueued}`);
    if ((await db.mine.count()) !== (isPollQueued ? 0 : 1)) broken.push(`own poll, queued: ${isPollQueued}`);
    return broken;
  });
}

test('a tab killed at any step of its sending loses nothing, does nothing twice and stores no half of an answer', {
  timeout: 300_000,
}, async () => {
  const { db } = world.test;
  const maker = await world.addUser(0);
  freshDatabases();
  let wasKilled = true;
  let steps = 0;
  for (; wasKilled; steps += 1) {
    expect(steps).toBeLessThan(STEPS_MAX);
    const polls = await world.addPolls(maker.user.id, VOTES);
    const person = await world.addUser(10);
    const name = `killed-after-${steps}`;
    const device = new Device(world, { person, name, hasSharedLock: false, random: () => 0.5 });
    const tab = await device.tab();
    device.isOnline = false;
    await vote(device, 0, polls, 1);
    await create(device, 0, 10, `poll ${steps}`);
    await untilQuiet([device]);

    device.isOnline = true;
    tab.endBy({ kind: 'kill_after_changes', count: steps });
    tab.engine.tryConnection();
    await untilQuiet([device]);
    wasKilled = tab.isDead;
    expect(await brokenRules(db)).toEqual([]);
    expect(await halfStored(device, polls)).toEqual([]);

    await heal(device);
    await readAll(device, person);
    expect(await brokenRules(db)).toEqual([]);
    expect(await checkDevices(db, [device])).toEqual([]);
    expect(await differences(world, device, person.user.id, await askServer(world, device))).toEqual([]);
    const [user] = await db.sql<[{ points: number }]>`select points from users where id = ${person.user.id}`;
    expect(user.points).toBe(VOTES);
    device.close();
  }
  expect(steps).toBeGreaterThan(20);
});

/** How many rows the tables have, except those that are empty. */
function rowsOf(device: Device): Promise<Record<string, number>> {
  return device.withDb(device.person.user.id, async (db) => {
    const counts = await Promise.all(
      db.tables.map(async (table) => [table.name, await table.count()] as const),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  });
}

test.each(['keep', 'discard'] as const)(
  'a log out with %s takes place although its tab is killed at any step',
  {
    timeout: 300_000,
  },
  async (waiting) => {
    const { db } = world.test;
    const maker = await world.addUser(0);
    freshDatabases();
    let killed = 0;
    for (let changes = 0; changes < LOG_OUT_CHANGES; changes += 1) {
      const person = await world.addUser(0);
      const polls = await world.addPolls(maker.user.id, 1);
      const name = `killed-log-out-${waiting}-${changes}`;
      const device = new Device(world, { person, name, hasSharedLock: false, random: () => 0.5 });
      const tab = await device.tab();
      await tab.engine.pullFeed();
      device.isOnline = false;
      await vote(device, 0, polls, 1);
      await untilQuiet([device]);
      const before = await rowsOf(device);
      expect(before).toMatchObject({ ops: 1, account: 1, user: 1, polls: expect.any(Number) });

      tab.endBy({ kind: 'kill_after_changes', count: changes });
      await tab.engine.logOut(waiting, await device.opIdsOf(person.user.id)).catch(() => {});
      const isLoggedOut = tab.engine.session.get().status === 'visitor';
      await untilQuiet([device]);
      if (tab.isDead && isLoggedOut) killed += 1;
      tab.kill();

      const next = await device.tab();
      await untilQuiet([device]);
      expect(next.engine.session.get().status).toBe(isLoggedOut ? 'visitor' : 'user');
      const left = waiting === 'keep' ? { ops: 1, account: 1 } : {};
      expect(await rowsOf(device)).toEqual(isLoggedOut ? left : before);

      device.isOnline = true;
      await device.logIn(0, person);
      await passTime([device], 5_000);
      const votes = await db.sql`select 1 from votes where user_id = ${person.user.id}`;
      expect(votes).toHaveLength(isLoggedOut && waiting === 'discard' ? 0 : 1);
      device.close();
    }
    expect(killed).toBeGreaterThan(10);
  },
);
