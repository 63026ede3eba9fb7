import { afterAll, expect, test } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { Device } from './device.ts';
import { checkDevices } from './device-invariants.ts';
import { findDifferences, readFromServer } from './differences.ts';
import { heal, readAll } from './heal.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { resetDatabases } from './tab-databases.ts';
import { create, vote } from './user-actions.ts';
import { createWorld } from './world.ts';

/**
 * More than the number of steps at which a tab can be killed while it sends two votes and a poll: each write to the database, and
 * the start and the end of each request except GET.
 */
const STEPS_MAX = 150;
/** More than the number of these steps during a logout. */
const LOGOUT_STEPS_MAX = 25;
const VOTES = 2;

const world = await createWorld();
afterAll(() => world.close());

/** Describes partially stored responses: the op must be removed if and only if all effects of its response are stored. */
async function findPartiallyStored(device: Device, polls: readonly string[]): Promise<string[]> {
  const { id } = device.testUser.user;
  return device.withDb(id, async (db) => {
    const violations: string[] = [];
    const ops = await db.ops.toArray();
    for (const pollId of polls) {
      const isQueued = ops.some((op) => op.entityId === pollId);
      const isVoted = ((await db.polls.get(pollId))?.votes.length ?? 0) > 0;
      if (isQueued === isVoted) violations.push(`${pollId} is queued: ${isQueued}, voted on: ${isVoted}`);
    }
    const isPollQueued = ops.some((op) => op.type === 'createPoll');
    const imageCount = await db.opBlobs.count();
    if (imageCount !== (isPollQueued ? 2 : 0))
      violations.push(`${imageCount} images, queued: ${isPollQueued}`);
    const ownPollCount = await db.mine.count();
    if (ownPollCount !== (isPollQueued ? 0 : 1))
      violations.push(`${ownPollCount} own polls, queued: ${isPollQueued}`);
    return violations;
  });
}

test('a tab that is killed at any write or request while it sends loses no op, repeats none and stores no partial response', {
  timeout: 300_000,
}, async () => {
  const { db } = world.test;
  const maker = await world.addUser(0);
  resetDatabases();
  let wasKilled = true;
  let steps = 0;
  for (; wasKilled; steps += 1) {
    expect(steps).toBeLessThan(STEPS_MAX);
    const polls = await world.addPolls(maker.user.id, VOTES);
    const testUser = await world.addUser(10);
    const name = `killed-after-${steps}`;
    const device = new Device(world, { testUser, name, random: () => 0.5 });
    const tab = await device.tab();
    device.isOnline = false;
    await vote(device, 0, polls, 1);
    await create(device, 0, 10, `poll ${steps}`);
    await untilIdle([device]);

    device.isOnline = true;
    tab.scheduleFault({ kind: 'kill_after_changes', count: steps });
    tab.engine.tryConnection();
    await untilIdle([device]);
    wasKilled = tab.isDead;
    expect(await violatedInvariants(db)).toEqual([]);
    expect(await findPartiallyStored(device, polls)).toEqual([]);

    await heal(device);
    await readAll(device, testUser);
    expect(await violatedInvariants(db)).toEqual([]);
    expect(await checkDevices(db, [device])).toEqual([]);
    expect(
      await findDifferences(world, device, testUser.user.id, await readFromServer(world, device)),
    ).toEqual([]);
    const [user] = await db.sql<
      [{ points: number }]
    >`select points from users where id = ${testUser.user.id}`;
    expect(user.points).toBe(VOTES);
    device.close();
  }
  expect(steps).toBeGreaterThan(20);
});

/** The number of rows of each table that is not empty. */
function rowCounts(device: Device): Promise<Record<string, number>> {
  return device.withDb(device.testUser.user.id, async (db) => {
    const counts = await Promise.all(
      db.tables.map(async (table) => [table.name, await table.count()] as const),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  });
}

test.each(['keep', 'discard'] as const)(
  'a logout (%s waiting ops) is finished at the next start if its tab is killed at any write or request',
  {
    timeout: 300_000,
  },
  async (waiting) => {
    const { db } = world.test;
    const maker = await world.addUser(0);
    resetDatabases();
    let kills = 0;
    for (let steps = 0; steps < LOGOUT_STEPS_MAX; steps += 1) {
      const testUser = await world.addUser(0);
      const polls = await world.addPolls(maker.user.id, 1);
      const name = `killed-logout-${waiting}-${steps}`;
      const device = new Device(world, { testUser, name, random: () => 0.5 });
      const tab = await device.tab();
      await tab.engine.pullFeed();
      device.isOnline = false;
      await vote(device, 0, polls, 1);
      await untilIdle([device]);
      const before = await rowCounts(device);
      expect(before).toMatchObject({ ops: 1, account: 1, user: 1, polls: expect.any(Number) });

      tab.scheduleFault({ kind: 'kill_after_changes', count: steps });
      await tab.engine.logOut(waiting, await device.opIdsOf(testUser.user.id)).catch(() => {});
      const isLoggedOut = tab.engine.session.get().status === 'visitor';
      await untilIdle([device]);
      if (tab.isDead && isLoggedOut) kills += 1;
      tab.kill();

      const nextTab = await device.tab();
      await untilIdle([device]);
      expect(nextTab.engine.session.get().status).toBe(isLoggedOut ? 'visitor' : 'user');
      const expectedRows = waiting === 'keep' ? { ops: 1, account: 1 } : {};
      expect(await rowCounts(device)).toEqual(isLoggedOut ? expectedRows : before);

      device.isOnline = true;
      await device.logIn(0, testUser);
      await advanceClocks([device], 5_000);
      const votes = await db.sql`select 1 from votes where user_id = ${testUser.user.id}`;
      expect(votes).toHaveLength(isLoggedOut && waiting === 'discard' ? 0 : 1);
      device.close();
    }
    expect(kills).toBeGreaterThan(10);
  },
);
