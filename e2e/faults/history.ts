import { operationOfType } from '#sync/operations/registry.ts';
import {
  actAtOnce,
  blocking,
  changeVote,
  create,
  discard,
  type HidingOperation,
  hide,
  logOut,
  markRead,
  readPages,
  reporting,
  tryAgain,
  vote,
} from './acts.ts';
import { type Backup, takeBackup } from './backup.ts';
import { Device, type Person } from './device.ts';
import { mayStayFrozen } from './heal.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { CURRENT, loadReleases, type Release } from './releases.ts';
import { restoreServer } from './restore.ts';
import {
  DEVICES_A_PERSON,
  type LogOutStep,
  PEOPLE,
  POLLS_AT_START,
  type Setting,
  type Step,
} from './steps.ts';
import { freshDatabases } from './tab-databases.ts';
import type { World } from './world.ts';

const START_POINTS = 25;
/** How often a call is refused in a history with rate limits, and how often altogether. */
const REFUSED_SHARE = 0.15;
const REFUSED_MAX = 40;
/** How often a newer server says something that no device knows. */
const UNKNOWN_SHARE = 0.2;

const releases = await loadReleases();

let run = 0;
/** Polls that any history so far has deleted. */
export const deletedPolls: string[] = [];

type HidingStep = Extract<Step, { do: 'report' | 'block' }>;

/** Three people with two devices each, one of them without a lock across its tabs, and polls of somebody else's. */
export class History {
  readonly world: World;
  readonly people: Person[] = [];
  readonly devices: Device[] = [];
  polls: string[] = [];
  reported: string[] = [];
  blocked: string[] = [];
  isRestored = false;
  #maker = 0;
  #backup: Backup | null = null;
  #oldDevices: readonly number[] = [];
  /** What old devices run; null where there is none. */
  #former: Release | null = null;

  constructor(world: World) {
    this.world = world;
  }

  async begin(setting: Setting, hasRestore: boolean): Promise<void> {
    run += 1;
    freshDatabases();
    const { cluster, limits, newer, older, effects } = this.world;
    effects.clear();
    this.world.seedChances(setting.seed);
    cluster.processes = setting.processes;
    limits.share = setting.hasRateLimits ? REFUSED_SHARE : 0;
    limits.left = setting.hasRateLimits ? REFUSED_MAX : 0;
    newer.isOn = setting.isServerNewer;
    if (older.isOn) await this.world.replaceServer(false);
    newer.share = UNKNOWN_SHARE;
    this.#oldDevices = setting.oldDevices;
    const former = releases[setting.seed % releases.length] ?? null;
    this.#former = setting.oldDevices.length > 0 ? former : null;
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
        const place = this.devices.length;
        const former = setting.oldDevices.includes(place) ? this.#former : null;
        const device = new Device(this.world, {
          person,
          name: `run-${run}-user-${index}-device-${nth}`,
          random,
          hasSharedLock: nth === 1,
          hasChannel: !setting.devicesWithoutChannel.includes(place),
          release: former ?? CURRENT,
        });
        this.devices.push(device);
      }
    }
    this.#maker = (await this.world.addUser(0)).user.id;
    const other = (await this.world.addUser(0)).user;
    const polls = await this.world.addPolls(this.#maker, POLLS_AT_START - 1);
    const others = await this.world.addPolls(other.id, 1);
    this.polls = [...polls, ...others];
    const own: string[] = [];
    for (const { user } of this.people) own.push(...(await this.world.addPolls(user.id, 1)));
    this.reported = [...polls.slice(0, 1), ...others, ...own];
    this.blocked = [other.username, ...this.people.map(({ user }) => user.username), 'nobody.at.all'];
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
      case 'vote_on_many':
        return this.#voteOnMany(step);
      case 'report':
      case 'block':
        return this.#hide(step);
      case 'report_deleted': {
        const device = await this.#deviceAt(step.device);
        const [pollId = ''] = await world.addPolls(this.#maker, 1);
        await hide(device, step.tab, reporting(pollId, false));
        deletedPolls.push(pollId);
        return world.deletePoll(pollId);
      }
      case 'change_often':
        return this.#changeOften(step);
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
        return this.#logOut(step);
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
        deletedPolls.push(this.polls[step.poll] ?? '');
        return world.deletePoll(this.polls[step.poll] ?? '');
      case 'wait':
        return passTime(this.devices, step.ms);
      case 'put_clock_back': {
        const device = await this.#deviceAt(step.device);
        // Two awake tabs may send the same at once: the clock ends the lease of the first one.
        await untilQuiet(this.devices);
        return device.putClockBack(step.ms);
      }
      case 'act_at_once':
        return this.#actAtOnce(step);
      case 'update':
        for (const place of this.#oldDevices) (await this.#deviceAt(place)).update();
        return;
      case 'replace_server':
        // A released app cannot be changed any more: it never meets a server that is older than itself.
        if (!world.newer.isOn && this.#former?.isCandidate !== true)
          await world.replaceServer(!world.older.isOn);
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
        // A release candidate cannot notice it.
        if (this.#backup === null || this.#former?.isCandidate === true) return;
        this.isRestored = true;
        return restoreServer(world, this.devices, this.#backup);
    }
  }

  /** A device that has been opened once, online, and then lost its network. */
  async #deviceAt(index: number): Promise<Device> {
    const device = this.devices[index];
    if (device === undefined) throw new Error(`no device ${index}`);
    if (device.tabs.length > 0) return device;
    await device.tab();
    device.isOnline = false;
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
        if (isReader) readPages(one).catch(() => {});
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

  /** Votes on many polls. With faults they are sent at once, and requests with several of them meet these. */
  async #voteOnMany({ device: place, count, faults }: Extract<Step, { do: 'vote_on_many' }>) {
    const polls = await this.world.addPolls(this.#maker, count);
    const device = await this.#deviceAt(place);
    await vote(device, 0, polls, 2);
    if (faults.length === 0) return;
    const { isOnline } = device;
    for (const one of device.tabs) one?.endBy(null);
    device.isOnline = true;
    this.world.batchFaults.push(...faults);
    device.tabs[0]?.engine.tryConnection();
    await untilQuiet(this.devices);
    await this.endTrouble();
    device.isOnline = isOnline;
  }

  /** Hides something and shows it again, in two tabs; if it is contradicted, the user's other device does the opposite. */
  async #hide({ do: kind, device: place, target, moves, isContradicted }: HidingStep): Promise<void> {
    const { world, reported, blocked } = this;
    const operationOf = (isUndone: boolean): HidingOperation =>
      kind === 'report'
        ? reporting(reported[target] ?? '', isUndone)
        : blocking(blocked[target] ?? '', isUndone);
    const device = await this.#deviceAt(place);
    for (const { tab, isUndone } of moves) {
      const before = await this.#waitingHidings(device);
      await hide(device, tab, operationOf(isUndone));
      const after = new Set(await this.#waitingHidings(device));
      if (before.some((opId) => !after.has(opId)))
        world.happenings.note('a report or a block was undone while it waited');
    }
    if (!isContradicted) return;
    // A person's devices stand side by side.
    const other = await this.#deviceAt(place % DEVICES_A_PERSON === 0 ? place + 1 : place - 1);
    for (const { tab, isUndone } of moves) await hide(other, tab, operationOf(!isUndone));
  }

  #waitingHidings(device: Device): Promise<string[]> {
    const isUnsent = ({ firstLeasedAt }: { firstLeasedAt?: number | null }) => firstLeasedAt === null;
    return device.withDb(device.person.user.id, async (db) =>
      (await db.ops.toArray())
        .filter((op) => operationOfType(op.type).hiding !== null && isUnsent(op))
        .map(({ opId }) => opId),
    );
  }

  /** Changes a vote back and forth; changes that nobody has sent would replace one another. */
  async #changeOften({ device: place, tab, poll, count }: Extract<Step, { do: 'change_often' }>) {
    const device = await this.#deviceAt(place);
    const { isOnline } = device;
    device.isOnline = true;
    for (const one of device.tabs) one?.endBy(null);
    const pollId = this.polls[poll] ?? '';
    await vote(device, tab, [pollId], 1);
    for (let nth = 0; nth < count; nth += 1) {
      await untilQuiet(this.devices);
      await changeVote(device, tab, pollId, nth % 2 === 0 ? 2 : 1);
    }
    await untilQuiet(this.devices);
    await this.endTrouble();
    device.isOnline = isOnline;
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

  /** Logs out. A tab that is killed meanwhile does so when nothing else goes on: what it stores counts from then on. */
  async #logOut({ device: place, tab: nth, waiting, killedAt }: LogOutStep): Promise<void> {
    const device = await this.#deviceAt(place);
    // Earlier releases do not finish such a log out.
    if (killedAt === null || device.isOld) return logOut(device, nth, waiting);
    const tab = await device.tab(nth);
    await untilQuiet(this.devices);
    tab.endBy({ kind: 'kill_after_changes', count: killedAt });
    await logOut(device, nth, waiting);
    if (tab.isDead && device.userOf(tab) === null)
      this.world.happenings.note('a tab was killed while it logged out');
    tab.endBy(null);
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
    this.world.batchFaults.length = 0;
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
