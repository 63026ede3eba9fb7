import 'fake-indexeddb/auto';
import { afterAll, expect, test } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { Device } from './device.ts';
import { checkDevices } from './device-invariants.ts';
import { createWorld } from './world.ts';

/** More than the steps that a drain of one vote and one poll takes. */
const STEPS_MAX = 60;
const LEASE_MS = 30_000;

const world = await createWorld();
afterAll(() => world.close());

test('a tab killed at any step of its drain loses nothing and does nothing twice', {
  timeout: 60_000,
}, async () => {
  const { db } = world.test;
  const maker = await world.addUser(0);
  let wasKilled = true;
  let steps = 0;
  for (; wasKilled; steps += 1) {
    expect(steps).toBeLessThan(STEPS_MAX);
    const [pollId] = await world.addPolls(maker.user.id, 1);
    if (pollId === undefined) throw new Error('no poll');
    const person = await world.addUser(10);
    const clock = fakeClock();
    const device = new Device(world, clock, {
      user: person.user,
      name: `killed-after-${steps}`,
      cookie: await person.newCookie(),
      random: () => 0.5,
    });
    await device.vote(pollId, 1);
    await device.create(10, `poll ${steps}`);

    wasKilled = await device.drain(steps);
    expect(await brokenRules(db)).toEqual([]);

    clock.advance(LEASE_MS);
    await device.drain();
    await device.pull();
    expect(await brokenRules(db)).toEqual([]);
    expect(await checkDevices(db, [device])).toEqual([]);
    const [user] = await db.sql<[{ points: number }]>`select points from users where id = ${person.user.id}`;
    expect(user.points).toBe(1);
  }
  expect(steps).toBeGreaterThan(10);
});
