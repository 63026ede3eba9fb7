import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#shared/time.ts';
import { voteOn } from '#sync/testing/queue-vote.ts';
import { actAtOnce, blocking, create, hide, logOut, vote } from './acts.ts';
import { Device } from './device.ts';
import type { Happening } from './happenings.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { CURRENT, loadReleases } from './releases.ts';
import { createStage, type Stage } from './stage.ts';
import { createWorld } from './world.ts';

/** What happens to devices in random histories, by hand: that it happens, and what comes of it. */

const world = await createWorld();
afterAll(() => world.close());
const { db } = world.test;
const maker = await world.addUser(0);

let stage: Stage;
beforeEach(() => {
  stage = createStage(world);
  world.happenings.counts.clear();
});

const happened = (what: Happening) => world.happenings.counts.get(what) ?? 0;
const newPolls = (count: number) => world.addPolls(maker.user.id, count);

async function votesOf({ person }: Device): Promise<number> {
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from votes where user_id = ${person.user.id}`;
  return count;
}

function addDevice(options: Omit<ConstructorParameters<typeof Device>[1], 'name' | 'random'>): Device {
  const name = `device-${options.person.user.id}-${stage.devices.length}`;
  const device = new Device(world, { ...options, name, random: () => 0.5 });
  stage.devices.push(device);
  return device;
}

describe('a tab that stays frozen while it sends', () => {
  test.each([false, true])(
    'leaves the sending to another one (one lock for both: %s)',
    async (hasSharedLock) => {
      const device = stage.deviceOf(await world.addUser(0), hasSharedLock);
      const frozen = await device.tab(0);
      const polls = await newPolls(4);
      device.isOnline = false;
      await vote(device, 0, polls, 1);
      await untilQuiet([device]);
      frozen.endBy({ kind: 'freeze_at_answer', count: 1 });
      device.isOnline = true;
      frozen.engine.tryConnection();
      await untilQuiet([device]);
      device.leaveFrozen();
      expect(happened('a tab stayed frozen for good')).toBe(1);
      expect(happened('a tab that held a lock stayed frozen for good')).toBe(hasSharedLock ? 1 : 0);
      await device.tab(0);
      await passTime([device], 35_000);
      expect(await votesOf(device)).toBe(4);
      expect(frozen.isFrozen).toBe(true);
      await stage.endWell();
    },
  );
});

describe('log outs and log ins at the same moment as votes and polls', () => {
  test.each([true, false])(
    'lose nothing that was promised (tabs hear of each other: %s)',
    async (hasChannel) => {
      const person = await world.addUser(30);
      const other = await world.addUser(30);
      const device = addDevice({ person, hasSharedLock: hasChannel, hasChannel });
      await device.tab(0);
      await device.tab(1);
      const polls = await newPolls(3);
      const people = [person, other];
      await actAtOnce(
        device,
        [
          { kind: 'vote', tab: 0, poll: 0, option: 1 },
          { kind: 'create', tab: 1 },
          { kind: 'log_out', tab: 0, waiting: 'keep' },
          { kind: 'read', tab: 1 },
          { kind: 'vote', tab: 1, poll: 1, option: 2 },
        ],
        { polls, people },
      );
      await untilQuiet([device]);
      expect(device.promised.size).toBeGreaterThan(0);
      await actAtOnce(
        device,
        [
          { kind: 'log_in', tab: 1, person: 1 },
          { kind: 'log_in', tab: 0, person: 0 },
          { kind: 'vote', tab: 0, poll: 2, option: 1 },
          { kind: 'send', tab: 1 },
        ],
        { polls, people },
      );
      await untilQuiet([device]);
      expect(happened('tabs did not hear of each other') > 0).toBe(!hasChannel);
      await stage.endWell();
    },
  );

  test('nobody waits for ever for a log out beside an answer at which the tab was to freeze', async () => {
    const device = addDevice({ person: await world.addUser(0), hasSharedLock: true });
    const tab = await device.tab();
    const polls = await newPolls(1);
    await untilQuiet([device]);
    tab.endBy({ kind: 'freeze_at_answer', count: 1 });
    world.opFaults.push('late_answer');
    await vote(device, 0, polls, 1);
    await vi.waitFor(() => expect(device.sends.attempts).toBe(1), { interval: 1 });
    world.faults.push('late_answer', 'late_answer');
    await logOut(device, 0, 'keep');
    world.faults.length = 0;
    expect(tab.isFrozen).toBe(false);
    await stage.endWell();
  });

  test('a tab that has not heard of a log out sends nothing as whoever logs in next', async () => {
    const person = await world.addUser(0);
    const other = await world.addUser(0);
    const device = addDevice({ person, hasSharedLock: true, hasChannel: false });
    await device.tab(0);
    await device.tab(1);
    await vote(device, 0, await newPolls(1), 1);
    await untilQuiet([device]);
    device.isOnline = false;
    await vote(device, 0, await newPolls(1), 1);
    await logOut(device, 0, 'keep');
    device.isOnline = true;
    await device.logIn(0, other);
    expect(device.userOf(await device.tab(1))?.id).toBe(person.user.id);
    await vote(device, 1, await newPolls(1), 1);
    await passTime([device], 31_000);
    const others = await db.sql`select poll_id from votes where user_id = ${other.user.id}`;
    expect(others).toEqual([]);
    await stage.endWell();
    expect(await votesOf(device)).toBe(3);
  });
});

test('a poll that is stored while its person logs out in another tab, and keeps what waits, is kept', async () => {
  for (let round = 0; round < 10; round += 1) {
    const device = stage.deviceOf(await world.addUser(10));
    await device.tab(0);
    await untilQuiet([device]);
    device.isOnline = false;
    await actAtOnce(
      device,
      [
        { kind: 'create', tab: 0 },
        { kind: 'log_out', tab: 0, waiting: 'keep' },
      ],
      { polls: [], people: [] },
    );
    await untilQuiet([device]);
    expect(await device.opIdsOf(device.person.user.id)).toEqual([...device.promised.keys()]);
    await stage.endWell();
  }
});

describe('a device without room', () => {
  test('refuses a vote that it cannot store, and takes the next one when there is room', async () => {
    const device = stage.deviceOf(await world.addUser(0));
    await device.tab();
    device.room.runOut(0, Number.POSITIVE_INFINITY);
    const [first = '', second = ''] = await newPolls(2);
    const { engine } = await device.tab();
    await expect(engine.queue(voteOn(first, 1))).rejects.toThrow();
    expect(happened('a write failed for want of room')).toBeGreaterThan(0);
    expect(await stage.opsOf(device)).toEqual([]);
    device.room.runOut(0, 0);
    await vote(device, 0, [second], 1);
    await untilQuiet([device]);
    expect(await votesOf(device)).toBe(1);
    await stage.endWell();
  });

  test('at any write of its sending loses nothing and does nothing twice', { timeout: 120_000 }, async () => {
    let writes = 0;
    for (let hasFailed = true; hasFailed; writes += 1) {
      expect(writes).toBeLessThan(100);
      const device = stage.deviceOf(await world.addUser(10));
      const { engine } = await device.tab();
      device.isOnline = false;
      await vote(device, 0, await newPolls(2), 1);
      await create(device, 0, 10, `poll ${writes}`);
      await untilQuiet([device]);
      device.isOnline = true;
      world.happenings.counts.clear();
      device.room.runOut(writes, 2);
      engine.tryConnection();
      await untilQuiet([device]);
      hasFailed = happened('a write failed for want of room') > 0;
      await stage.endWell();
      stage.devices.length = 0;
      expect(await votesOf(device)).toBe(2);
    }
    expect(writes).toBeGreaterThan(5);
  });
});

describe('a device whose databases are evicted', () => {
  test.each([true, false])('shows nothing that is not there, and goes on (closed: %s)', async (isClosed) => {
    const device = stage.deviceOf(await world.addUser(10));
    const { engine } = await device.tab();
    await engine.pullFeed();
    device.isOnline = false;
    await vote(device, 0, await newPolls(1), 1);
    await untilQuiet([device]);
    await device.evict(isClosed);
    expect(
      happened(
        isClosed
          ? 'the databases of a closed device were evicted'
          : 'the databases of an open tab were evicted',
      ),
    ).toBe(1);
    expect(await stage.opsOf(device)).toEqual([]);
    device.isOnline = true;
    await device.logIn(0, device.person);
    await vote(device, 0, await newPolls(1), 1);
    await passTime([device], 31_000);
    expect(await stage.opsOf(device)).toEqual([]);
    expect(await votesOf(device)).toBe(1);
    await stage.endWell();
  });
});

test.each([MINUTE_MS, DAY_MS])(
  'a device whose clock was put back by %d ms sees a block end that another one ends',
  async (byMs) => {
    const person = await world.addUser(0);
    const [first, second] = [stage.deviceOf(person), stage.deviceOf(person)];
    await newPolls(1);
    for (const device of [first, second]) await device.tab();
    await hide(first, 0, blocking(maker.user.username, false));
    await untilQuiet(stage.devices);
    first.putClockBack(byMs);
    expect(happened("a device's clock was put back")).toBe(1);
    await hide(second, 0, blocking(maker.user.username, true));
    await untilQuiet(stage.devices);
    await stage.endWell();
  },
);

test.each(await loadReleases())(
  'a device with release $name sends to this server, and this release sends what that one has left',
  async (release) => {
    const device = addDevice({ person: await world.addUser(10), hasSharedLock: true, release });
    const old = await device.tab();
    expect(old.release.name).toBe(release.name);
    await vote(device, 0, await newPolls(2), 1);
    await untilQuiet([device]);
    expect(await votesOf(device)).toBe(2);
    device.isOnline = false;
    await vote(device, 0, await newPolls(1), 1);
    await create(device, 0, 10, 'left by the old release');
    await untilQuiet([device]);
    device.update();
    expect(old.isDead).toBe(true);
    device.isOnline = true;
    expect((await device.tab()).release).toBe(CURRENT);
    await passTime([device], 31_000);
    expect(await votesOf(device)).toBe(3);
    expect(await stage.opsOf(device)).toEqual([]);
    expect(happened('a device was updated')).toBeGreaterThan(0);
    await stage.endWell();
  },
);
