import { expect } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import { actAtOnce, changeVote, create, discard, logOut, markRead, tryAgain, vote } from './acts.ts';
import { type Backup, takeBackup } from './backup.ts';
import { Device, type Person } from './device.ts';
import { checkDevices, checkNotifications, contradictions } from './device-invariants.ts';
import { askServer, differences, type Shown } from './differences.ts';
import { heal, mayStayFrozen, noticeRestore, readAll } from './heal.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { loadReleases } from './releases.ts';
import { restoreServer } from './restore.ts';
import { DEVICES_A_PERSON, PEOPLE, POLLS_AT_START, type Setting, type Step } from './steps.ts';
import type { Tab } from './tab.ts';
import { freshDatabases } from './tab-databases.ts';
import type { World } from './world.ts';

const START_POINTS = 25;
/** How often a call is refused in a history with rate limits, and how often altogether. */
const REFUSED_SHARE = 0.15;
const REFUSED_MAX = 40;
/** Of these some are left for the time in which everything is sent in the end. */
const REFUSED_IN_THE_END_MAX = 6;
/** How often a newer server says something that no device knows. */
const UNKNOWN_SHARE = 0.2;

const releases = await loadReleases();

let run = 0;
/** Polls that any history so far has deleted. */
const deleted: string[] = [];

/** Three people with two devices each, one of them without a lock across its tabs, and polls of somebody else's. */
class History {
  readonly world: World;
  readonly people: Person[] = [];
  readonly devices: Device[] = [];
  polls: string[] = [];
  isRestored = false;
  #maker = 0;
  #backup: Backup | null = null;
  #oldDevices: readonly number[] = [];

  constructor(world: World) {
    this.world = world;
  }

  async begin(setting: Setting, hasRestore: boolean): Promise<void> {
    run += 1;
    freshDatabases();
    const { cluster, limits, newer } = this.world;
    this.world.seedChances(setting.seed);
    cluster.processes = setting.processes;
    limits.share = setting.hasRateLimits ? REFUSED_SHARE : 0;
    limits.left = setting.hasRateLimits ? REFUSED_MAX : 0;
    newer.isOn = setting.isServerNewer;
    newer.share = UNKNOWN_SHARE;
    this.#oldDevices = setting.oldDevices;
    // A drain's jitter is as repeatable as the rest.
    let jitter = 0;
    const random = () => {
      jitter = (jitter + 0.37) % 1;
      return jitter;
    };
    for (let index = 0; index < PEOPLE; index += 1) {
      const person = await this.world.addUser(START_POINTS);
      this.people.push(person);
      for (let nth = 0; nth < DEVICES_A_PERSON; nth += 1) {
        const name = `run-${run}-user-${index}-device-${nth}`;
        const place = this.devices.length;
        const options = {
          person,
          name,
          random,
          hasSharedLock: nth === 1,
          hasChannel: !setting.devicesWithoutChannel.includes(place),
        };
        const former = releases[setting.seed % releases.length];
        const isOld = setting.oldDevices.includes(place) && former !== undefined;
        const release = isOld ? { release: former } : {};
        this.devices.push(new Device(this.world, { ...options, ...release }));
      }
    }
    this.#maker = (await this.world.addUser(0)).user.id;
    this.polls = await this.world.addPolls(this.#maker, POLLS_AT_START);
    if (hasRestore) this.#backup = await takeBackup(this.world);
  }

  async take(step: Step, nth: number): Promise<void> {
    const { world } = this;
    switch (step.do) {
      case 'vote':
        return vote(await this.#deviceAt(step.device), step.tab, [this.polls[step.poll] ?? ''], step.option);
      case 'change_vote':
        return changeVote(
          await this.#deviceAt(step.device),
          step.tab,
          this.polls[step.poll] ?? '',
          step.option,
        );
      case 'vote_on_many': {
        const polls = await world.addPolls(this.#maker, step.count);
        return vote(await this.#deviceAt(step.device), 0, polls, 2);
      }
      case 'notify':
        return world.notify(this.people[step.person]?.user.id ?? 0, step.count);
      case 'close_early': {
        const person = this.people[step.person];
        return person && world.closeEarly(person);
      }
      case 'mark_read': {
        const device = await this.#deviceAt(step.device);
        return this.#markRead(device, step.tab);
      }
      case 'create':
        return create(await this.#deviceAt(step.device), step.tab, step.cost, `poll ${nth}`);
      case 'send':
        return this.#send(step);
      case 'discard':
        return discard(await this.#deviceAt(step.device), step.tab, step.place);
      case 'edit':
      case 'try_again':
        return tryAgain(await this.#deviceAt(step.device), step.tab, step.do === 'edit');
      case 'log_out':
        return logOut(await this.#deviceAt(step.device), step.tab, step.waiting);
      case 'log_in': {
        const device = await this.#deviceAt(step.device);
        return device.logIn(step.tab, device.person);
      }
      case 'end_session':
        (await this.#deviceAt(step.device)).session = null;
        return;
      case 'foreign_session': {
        const device = await this.#deviceAt(step.device);
        return device.newSession(this.people[step.other] ?? device.person);
      }
      case 'close_poll':
        return world.closePoll(this.polls[step.poll] ?? '');
      case 'delete_poll':
        deleted.push(this.polls[step.poll] ?? '');
        return world.deletePoll(this.polls[step.poll] ?? '');
      case 'wait':
        return passTime(this.devices, step.ms);
      case 'act_at_once':
        return this.#actAtOnce(step);
      case 'update':
        for (const place of this.#oldDevices) (await this.#deviceAt(place)).update();
        return;
      case 'run_out_of_room': {
        const { room } = await this.#deviceAt(step.device);
        return room.runOut(step.writesBefore, step.writesFailing);
      }
      case 'evict':
        return (await this.#deviceAt(step.device)).evict(step.isClosed);
      case 'restart_server':
        return world.cluster.restart(step.place);
      case 'take_backup':
        this.#backup = await takeBackup(world);
        return;
      case 'restore_backup':
        // The release candidate cannot notice it.
        if (this.#backup === null || this.#oldDevices.length > 0) return;
        this.isRestored = true;
        return restoreServer(world, this.devices, this.#backup);
    }
  }

  /** A device that has been opened once, online, and then lost its network. */
  async #deviceAt(index: number): Promise<Device> {
    const device = this.devices[index];
    if (device === undefined) throw new Error(`no device ${index}`);
    if (device.tabs.length === 0) {
      await device.tab();
      device.isOnline = false;
    }
    return device;
  }

  /** The places of the devices that send; where something is to end a tab, one with something to send comes first. */
  async #sendersOf({ devices: places, sending }: Extract<Step, { do: 'send' }>): Promise<number[]> {
    const [first = 0, ...others] = new Set(places);
    if (sending.end === null) return [first, ...others];
    for (let nth = 0; nth < this.devices.length; nth += 1) {
      const place = (first + nth) % this.devices.length;
      const device = this.devices[place];
      if (device === undefined || device.tabs.length === 0) continue;
      if ((await device.opIdsOf(device.person.user.id)).length > 0) {
        return [place, ...others.filter((other) => other !== place)];
      }
    }
    return [first, ...others];
  }

  async #send(step: Extract<Step, { do: 'send' }>): Promise<void> {
    const { devices: places, tab, sending } = step;
    const senders = await this.#sendersOf(step);
    const devices = await Promise.all(senders.map((index) => this.#deviceAt(index)));
    const others = places.length > new Set(places).size ? [0, 1] : [tab];
    for (const [place, device] of devices.entries()) {
      const tabs = await Promise.all(others.map((nth) => device.tab(nth)));
      device.isOnline = true;
      device.latencyMs = sending.latencyMs;
      if (place === 0) tabs[0]?.endBy(sending.end && { ...sending.end });
    }
    this.world.faults.push(...sending.faults);
    this.world.cluster.cuts.push(...sending.cuts);
    if (sending.killAtRequest !== null) this.world.cluster.killAtRequest(sending.killAtRequest);
    for (const device of devices) {
      for (const nth of others) {
        const one = device.tabs[nth];
        if (!one || one.isDead) continue;
        one.engine.tryConnection();
        const isReader = sending.pulls && device === devices[0] && device.userOf(one) !== null;
        // A reader that is killed, or whose session has ended, brings nothing; nobody waits for it.
        if (isReader) readLists(one).catch(() => {});
      }
    }
    if (sending.isHasty) return;
    await untilQuiet(this.devices);
    await this.endTrouble();
    for (const device of devices) {
      for (const one of device.tabs) one?.endBy(null);
      if (sending.staysFrozen && mayStayFrozen(device)) device.leaveFrozen();
      if (device.tabs.some((one) => one?.isFrozen)) await this.#thaw(device);
      device.isOnline = sending.staysOnline;
    }
  }

  /** What is read was shown before: the device is online for that moment, and what it marks waits as usual. */
  async #markRead(device: Device, tab: number): Promise<void> {
    const { isOnline } = device;
    device.isOnline = true;
    for (const one of device.tabs) one?.endBy(null);
    await device.tab(tab);
    await markRead(device, tab);
    if (device.markedUpTo.size > 0) this.world.happenings.note('notifications were marked as read');
    device.isOnline = isOnline;
    await untilQuiet(this.devices);
    await this.endTrouble();
  }

  async #actAtOnce({ device: place, acts, faults, isOnline }: Extract<Step, { do: 'act_at_once' }>) {
    const device = await this.#deviceAt(place);
    device.isOnline = isOnline;
    // Whoever waits for what a tab does must not wait for one that freezes meanwhile, as an earlier step may have arranged.
    for (const tab of device.tabs) tab?.endBy(null);
    this.world.faults.push(...faults);
    const isSession = acts.some(({ kind }) => kind === 'log_in' || kind === 'log_out');
    if (isSession) this.world.happenings.note('a log out or in ran beside other acts');
    // A log out in the release candidate takes a poll along that is stored at the same moment.
    const played = device.isOld ? acts.filter(({ kind }) => kind !== 'log_out') : acts;
    await actAtOnce(device, played, this);
    await untilQuiet(this.devices);
    await this.endTrouble();
    device.isOnline = false;
  }

  /** What was to happen on the way and has not does not happen any more. */
  async endTrouble(): Promise<void> {
    this.world.faults.length = 0;
    this.world.cluster.cuts.length = 0;
    await this.world.cluster.settle();
  }

  /** By the time that a frozen tab goes on its leases have run out, and another tab has gone on in its place. */
  async #thaw(device: Device): Promise<void> {
    await passTime([device], 31_000);
    for (const tab of device.tabs) tab?.thaw();
    await untilQuiet([device]);
  }
}

/** Plays a history from beginning to end, and checks every invariant afterwards. */
export async function play(world: World, setting: Setting, steps: readonly Step[]): Promise<void> {
  const history = new History(world);
  try {
    await history.begin(
      setting,
      steps.some((step) => step.do === 'restore_backup'),
    );
    for (const [nth, step] of steps.entries()) {
      await history.take(step, nth);
      for (const device of history.devices) await device.watch();
    }
    const devices = history.devices.filter(({ tabs }) => tabs.length > 0);
    await history.endTrouble();
    const { limits, newer } = world;
    newer.share = 0;
    limits.left = Math.min(limits.left, REFUSED_IN_THE_END_MAX);
    await Promise.all(devices.map((device) => heal(device, limits.left > 0)));
    limits.left = 0;
    if (history.isRestored) await Promise.all(devices.map(noticeRestore));
    // The counts in the server's buffer of the feed may be a second old.
    world.dropFeeds();
    const shownTo = new Map<number, Promise<Shown>>();
    const different = await Promise.all(devices.map((device) => readAndCompare(world, device, shownTo)));
    expect(await brokenRules(world.test.db, deleted)).toEqual([]);
    expect(await checkDevices(world.test.db, devices)).toEqual([]);
    expect(await checkNotifications(world.test.db, devices)).toEqual([]);
    expect(different.flat()).toEqual([]);
    expect(contradictions(world)).toEqual([]);
  } finally {
    for (const device of history.devices) device.close();
  }
}

async function readLists({ engine }: Tab): Promise<void> {
  const feed = engine.pullFeed().then(() => engine.pullMoreFeed());
  await Promise.all([feed, engine.pullMine(), engine.pullTrending()]);
}

/** What each user of a device sees there in the end, where it differs from what the server has. */
async function readAndCompare(
  world: World,
  device: Device,
  shownTo: Map<number, Promise<Shown>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const person of device.people.values()) {
    await readAll(device, person);
    const shown = shownTo.get(person.user.id) ?? askServer(world, device);
    shownTo.set(person.user.id, shown);
    found.push(...(await differences(world, device, person.user.id, await shown)));
    await device.watch();
  }
  return found;
}
