import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { brokenPictures, brokenRules } from '#api/testing/invariants.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { Device } from './device.ts';
import { checkDevices } from './device-invariants.ts';
import { FAULTS, type Fault } from './proxy.ts';
import { createWorld } from './world.ts';

/** Histories a run; `FAULT_HISTORIES` asks for more, `FAULT_SEED` for the same again. */
const HISTORIES = Number(process.env.FAULT_HISTORIES ?? 100);
const SEED = process.env.FAULT_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.FAULT_SEED);

const USERS = 3;
const DEVICES_A_USER = 2;
const POLLS_AT_START = 4;
const START_POINTS = 25;
const LANE_TRIES_MAX = 60;

const world = await createWorld();
afterAll(() => world.close());

type Step =
  | { do: 'vote'; device: number; poll: number; option: 1 | 2 }
  | { do: 'create'; device: number; cost: number }
  | { do: 'drain'; devices: number[]; pulls: boolean; killAfter: number | null; faults: Fault[] }
  | { do: 'end_session'; device: number }
  | { do: 'foreign_session'; device: number; other: number }
  | { do: 'close_poll'; poll: number }
  | { do: 'delete_poll'; poll: number }
  | { do: 'wait'; ms: number };

const device = fc.nat(USERS * DEVICES_A_USER - 1);
const poll = fc.nat(POLLS_AT_START - 1);
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 50,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      device,
      poll,
      option: fc.constantFrom<1 | 2>(1, 2),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ do: fc.constant('create' as const), device, cost: fc.constantFrom(10, 12, 20) }),
  },
  {
    weight: 60,
    arbitrary: fc.record({
      do: fc.constant('drain' as const),
      // The same device twice: two tabs without a lock.
      devices: fc.array(device, { minLength: 1, maxLength: 4 }),
      // Read at the same time: what was read before a change may arrive after its answer.
      pulls: fc.boolean(),
      killAfter: fc.option(fc.nat(25), { freq: 2 }),
      faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'late_answer', 'late_answer', ...FAULTS), {
        maxLength: 6,
      }),
    }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('end_session' as const), device }) },
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('foreign_session' as const), device, other: fc.nat(USERS - 1) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('close_poll' as const), poll }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete_poll' as const), poll }) },
  {
    weight: 20,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(500, 5_000, 31_000) }),
  },
);

let run = 0;
/** Polls that any history so far has deleted. */
const deleted: string[] = [];

async function play(steps: readonly Step[]): Promise<void> {
  run += 1;
  const { db } = world.test;
  const clock = fakeClock();
  // A drain's jitter is as repeatable as the rest.
  let jitter = 0;
  const random = () => {
    jitter = (jitter + 0.37) % 1;
    return jitter;
  };
  const people = await Promise.all(Array.from({ length: USERS }, () => world.addUser(START_POINTS)));
  const maker = await world.addUser(0);
  const devices: Device[] = [];
  for (const [index, person] of people.entries()) {
    for (let nth = 0; nth < DEVICES_A_USER; nth += 1) {
      const name = `run-${run}-user-${index}-device-${nth}`;
      devices.push(
        new Device(world, clock, { user: person.user, name, cookie: await person.newCookie(), random }),
      );
    }
  }
  const polls = await world.addPolls(maker.user.id, POLLS_AT_START);
  const deviceAt = (index: number) => {
    const found = devices[index];
    if (found === undefined) throw new Error(`no device ${index}`);
    return found;
  };
  const personOf = (index: number) => {
    const found = people[Math.floor(index / DEVICES_A_USER)];
    if (found === undefined) throw new Error(`nobody has device ${index}`);
    return found;
  };

  for (const [nth, step] of steps.entries()) {
    switch (step.do) {
      case 'vote':
        await deviceAt(step.device).vote(polls[step.poll] ?? '', step.option);
        break;
      case 'create':
        await deviceAt(step.device).create(step.cost, `poll ${nth}`);
        break;
      case 'drain':
        world.faults.push(...step.faults);
        await Promise.all([
          ...step.devices.slice(0, step.pulls ? 1 : 0).map((index) => deviceAt(index).pull()),
          ...step.devices.map((index, place) => deviceAt(index).drain(place === 0 ? step.killAfter : null)),
        ]);
        world.faults.length = 0;
        break;
      case 'end_session':
        deviceAt(step.device).cookie = null;
        break;
      case 'foreign_session':
        deviceAt(step.device).cookie = (await people[step.other]?.newCookie()) ?? null;
        break;
      case 'close_poll':
        await db.sql`update polls set active = false, rev = rev + 1 where id = ${polls[step.poll] ?? ''} and active`;
        await world.recount();
        break;
      case 'delete_poll':
        deleted.push(polls[step.poll] ?? '');
        await db.sql`delete from polls where id = ${polls[step.poll] ?? ''}`;
        await world.recount();
        break;
      case 'wait':
        clock.advance(step.ms);
    }
    for (const one of devices) await one.watch();
  }

  // The network heals and everybody is signed in again: all that waits goes out.
  for (const [index, one] of devices.entries()) await one.recover(await personOf(index).newCookie());
  for (let round = 0; round < LANE_TRIES_MAX; round += 1) {
    await Promise.all(devices.map((one) => one.drain()));
    const waiting = await Promise.all(
      devices.map((one) => one.withDb((own) => own.ops.where('state').anyOf('queued', 'sending').count())),
    );
    if (waiting.every((count) => count === 0)) break;
    clock.advance(31_000);
  }
  // The counts in the server's buffer of the feed may be a second old.
  world.test.deps.feed.drop();
  for (const one of devices) await one.pull();

  expect(await brokenRules(db, deleted)).toEqual([]);
  expect(await checkDevices(db, devices)).toEqual([]);
  expect([...world.answers].filter(([, said]) => said.size > 1)).toEqual([]);
}

test(`${HISTORIES} random histories through a network that loses, cuts, doubles and lies`, {
  timeout: 30_000 + HISTORIES * 5_000,
}, async () => {
  await fc.assert(fc.asyncProperty(fc.array(stepArbitrary, { minLength: 5, maxLength: 30 }), play), {
    numRuns: HISTORIES,
    seed: SEED,
    endOnFailure: process.env.FAULT_SHRINK === 'off',
    interruptAfterTimeLimit: 25_000 + HISTORIES * 4_500,
  });
  const broken = await brokenPictures(world.test.db, world.test.deps.images.uploadsFolder);
  expect(broken.filter((path) => path.startsWith('/uploads/'))).toEqual([]);
});
