import { operationOfType } from '#sync/operations/registry.ts';
import { type Backup, takeBackup } from './backup.ts';
import { Device, type TestUser } from './device.ts';
import { canAbandonFrozenTabs } from './heal.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { CURRENT, loadReleases, type Release } from './releases.ts';
import { restoreServer } from './restore.ts';
import {
  DEVICES_PER_USER,
  type LogoutStep,
  POLLS_AT_START,
  type Setting,
  type Step,
  USERS,
} from './steps.ts';
import { resetDatabases } from './tab-databases.ts';
import {
  changeVisibility,
  changeVote,
  create,
  discard,
  logOut,
  markRead,
  performConcurrently,
  readPages,
  report,
  tryAgain,
  visibilityOperation,
  vote,
} from './user-actions.ts';
import type { World } from './world.ts';

const START_POINTS = 25;
/** In a history with rate limits, the probability that one limit refuses a call, and the maximum number of refusals. */
const REFUSAL_PROBABILITY = 0.15;
const REFUSED_MAX = 40;
/** The share of a newer server's responses that have unknown values. */
const UNKNOWN_SHARE = 0.2;

const releases = await loadReleases();

let historyCount = 0;
/** The polls deleted by all histories so far. */
export const deletedPolls: string[] = [];

type ConcurrentStep = Extract<Step, { do: 'act_concurrently' }>;
type VisibilityStep = Extract<Step, { do: 'report' | 'block' }>;

/** Three users with two devices each, and polls of other users. Only on a user's second device do the tabs share Web Locks. */
export class History {
  readonly world: World;
  readonly testUsers: TestUser[] = [];
  readonly devices: Device[] = [];
  /** The ids of the polls to vote on. */
  polls: string[] = [];
  /** The ids of the polls to report. */
  reportTargets: string[] = [];
  /** The usernames to block. */
  blockTargets: string[] = [];
  wasServerRestored = false;
  #makerId = 0;
  #backup: Backup | null = null;
  #oldDevices: readonly number[] = [];
  /** The release that old devices run; null if there are none. */
  #oldRelease: Release | null = null;

  constructor(world: World) {
    this.world = world;
  }

  async start(setting: Setting, hasRestore: boolean): Promise<void> {
    historyCount += 1;
    resetDatabases();
    const { cluster, limits, newer, older, effects } = this.world;
    effects.clear();
    this.world.seedRandom(setting.seed);
    cluster.processes = setting.processes;
    limits.refusalProbability = setting.hasRateLimits ? REFUSAL_PROBABILITY : 0;
    limits.refusalsLeft = setting.hasRateLimits ? REFUSED_MAX : 0;
    newer.isOn = setting.isServerNewer;
    if (older.isOn) await this.world.switchServer('current');
    newer.unknownShare = UNKNOWN_SHARE;
    this.#oldDevices = setting.oldDevices;
    const oldRelease = releases[setting.seed % releases.length] ?? null;
    this.#oldRelease = setting.oldDevices.length > 0 ? oldRelease : null;
    // The jitter of drains has to be reproducible, too.
    let jitter = 0;
    const random = () => {
      jitter = (jitter + 0.37) % 1;
      return jitter;
    };
    for (let userIndex = 0; userIndex < USERS; userIndex += 1) {
      const testUser = await this.world.addUser(START_POINTS);
      this.testUsers.push(testUser);
      for (let deviceIndex = 0; deviceIndex < DEVICES_PER_USER; deviceIndex += 1) {
        const index = this.devices.length;
        const release = setting.oldDevices.includes(index) ? this.#oldRelease : null;
        const device = new Device(this.world, {
          testUser,
          name: `run-${historyCount}-user-${userIndex}-device-${deviceIndex}`,
          random,
          hasSharedLock: deviceIndex === 1,
          hasChannel: !setting.devicesWithoutChannel.includes(index),
          release: release ?? CURRENT,
        });
        this.devices.push(device);
      }
    }
    this.#makerId = (await this.world.addUser(0)).user.id;
    const otherMaker = (await this.world.addUser(0)).user;
    const polls = await this.world.addPolls(this.#makerId, POLLS_AT_START - 1);
    const otherMakerPolls = await this.world.addPolls(otherMaker.id, 1);
    this.polls = [...polls, ...otherMakerPolls];
    const ownPolls: string[] = [];
    for (const { user } of this.testUsers) ownPolls.push(...(await this.world.addPolls(user.id, 1)));
    this.reportTargets = [...polls.slice(0, 1), ...otherMakerPolls, ...ownPolls];
    this.blockTargets = [
      otherMaker.username,
      ...this.testUsers.map(({ user }) => user.username),
      'nobody.at.all',
    ];
    if (hasRestore) this.#backup = await takeBackup(this.world);
  }

  async apply(step: Step, stepIndex: number): Promise<void> {
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
        return this.#changeVisibility(step);
      case 'report_deleted': {
        const device = await this.#deviceAt(step.device);
        const [pollId = ''] = await world.addPolls(this.#makerId, 1);
        await changeVisibility(device, step.tab, report(pollId));
        deletedPolls.push(pollId);
        return world.deletePoll(pollId);
      }
      case 'change_often':
        return this.#changeOften(step);
      case 'notify':
        return world.notify(this.testUsers[step.user]?.user.id ?? 0, step.count);
      case 'close_early': {
        const testUser = this.testUsers[step.user];
        return testUser && world.closeEarly(testUser);
      }
      case 'mark_read':
        return this.#markRead(await this.#deviceAt(step.device), step.tab);
      case 'create':
        return create(await this.#deviceAt(step.device), step.tab, step.cost, `poll ${stepIndex}`);
      case 'send':
        return this.#send(step);
      case 'discard':
        return discard(await this.#deviceAt(step.device), step.tab, step.opIndex);
      case 'edit':
      case 'retry':
        return tryAgain(await this.#deviceAt(step.device), step.tab, { isEdited: step.do === 'edit' });
      case 'log_out':
        return this.#logOut(step);
      case 'log_in': {
        const device = await this.#deviceAt(step.device);
        return device.logIn(step.tab, device.testUser);
      }
      case 'end_session':
        (await this.#deviceAt(step.device)).session = null;
        return;
      case 'foreign_session': {
        const device = await this.#deviceAt(step.device);
        return device.startSession(this.testUsers[step.other] ?? device.testUser);
      }
      case 'deactivate_poll':
        return world.deactivatePoll(this.polls[step.poll] ?? '');
      case 'delete_poll':
        deletedPolls.push(this.polls[step.poll] ?? '');
        return world.deletePoll(this.polls[step.poll] ?? '');
      case 'wait':
        return advanceClocks(this.devices, step.ms);
      case 'set_clock_back': {
        const device = await this.#deviceAt(step.device);
        // Setting it back would expire the lease of an op in flight, so two awake tabs could send it at once.
        await untilIdle(this.devices);
        return device.setClockBack(step.ms);
      }
      case 'act_concurrently':
        return this.#performConcurrently(step);
      case 'update':
        for (const index of this.#oldDevices) (await this.#deviceAt(index)).update();
        return;
      case 'replace_server':
        // The release candidate never meets a server that is older than itself.
        if (!world.newer.isOn && this.#oldRelease?.isCandidate !== true)
          await world.switchServer(world.older.isOn ? 'current' : 'older');
        return;
      case 'exceed_quota': {
        const { quota } = await this.#deviceAt(step.device);
        return quota.failWrites({ after: step.writesBefore, count: step.writesFailing });
      }
      case 'evict':
        return (await this.#deviceAt(step.device)).evict({ isClosed: step.isClosed });
      case 'restart_server':
        return world.cluster.restart(step.processIndex);
      case 'take_backup':
        this.#backup = await takeBackup(world);
        return;
      case 'restore_backup':
        // The release candidate knows no epoch, so it cannot detect a restore.
        if (this.#backup === null || this.#oldRelease?.isCandidate === true) return;
        this.wasServerRestored = true;
        return restoreServer(world, this.devices, this.#backup);
    }
  }

  /** The device with this index. At the first access it is opened online, and then goes offline. */
  async #deviceAt(index: number): Promise<Device> {
    const device = this.devices[index];
    if (device === undefined) throw new Error(`no device ${index}`);
    if (device.tabs.length > 0) return device;
    await device.tab();
    device.isOnline = false;
    return device;
  }

  /** The indexes of the devices that send. If a tab is to be killed or frozen, a device with queued ops comes first. */
  async #sendersOf({ devices: indexes, sending }: Extract<Step, { do: 'send' }>): Promise<number[]> {
    const [first = 0, ...others] = new Set(indexes);
    if (sending.tabFault === null) return [first, ...others];
    for (let offset = 0; offset < this.devices.length; offset += 1) {
      const index = (first + offset) % this.devices.length;
      const device = this.devices[index];
      if (device === undefined || device.tabs.length === 0) continue;
      if ((await device.opIdsOf(device.testUser.user.id)).length > 0) {
        return [index, ...others.filter((other) => other !== index)];
      }
    }
    return [first, ...others];
  }

  async #send(step: Extract<Step, { do: 'send' }>): Promise<void> {
    const { devices: indexes, tab, sending } = step;
    const devices = await Promise.all((await this.#sendersOf(step)).map((index) => this.#deviceAt(index)));
    // If a device was drawn twice, both tabs send.
    const tabIndexes = indexes.length > new Set(indexes).size ? [0, 1] : [tab];
    for (const [position, device] of devices.entries()) {
      const tabs = await Promise.all(tabIndexes.map((tabIndex) => device.tab(tabIndex)));
      device.isOnline = true;
      device.latencyMs = sending.latencyMs;
      if (position === 0) tabs[0]?.scheduleFault(sending.tabFault && { ...sending.tabFault });
    }
    this.world.faults.push(...sending.faults);
    this.world.cluster.commitFaults.push(...sending.commitFaults);
    if (sending.killAtRequest !== null) this.world.cluster.killAtRequest(sending.killAtRequest);
    for (const device of devices) {
      for (const tabIndex of tabIndexes) {
        const openTab = device.tabs[tabIndex];
        if (!openTab || openTab.isDead) continue;
        openTab.engine.tryConnection();
        const isReader = sending.pulls && device === devices[0] && device.userOf(openTab) !== null;
        // Reads may fail because the tab is killed or its session has ended.
        if (isReader) readPages(openTab).catch(() => {});
      }
    }
    if (!sending.isAwaited) return;
    await untilIdle(this.devices);
    await this.cancelFaults();
    for (const device of devices) {
      for (const openTab of device.tabs) openTab?.scheduleFault(null);
      if (sending.staysFrozen && canAbandonFrozenTabs(device)) device.abandonFrozenTabs();
      if (device.tabs.some((openTab) => openTab?.isFrozen)) await this.#thaw(device);
      device.isOnline = sending.staysOnline;
    }
  }

  /** Votes on many polls. If there are faults, the votes are sent immediately, in batches that have these faults. */
  async #voteOnMany({ device: index, count, faults }: Extract<Step, { do: 'vote_on_many' }>) {
    const polls = await this.world.addPolls(this.#makerId, count);
    const device = await this.#deviceAt(index);
    await vote(device, 0, polls, 2);
    if (faults.length === 0) return;
    const { isOnline } = device;
    for (const openTab of device.tabs) openTab?.scheduleFault(null);
    device.isOnline = true;
    this.world.batchFaults.push(...faults);
    device.tabs[0]?.engine.tryConnection();
    await untilIdle(this.devices);
    await this.cancelFaults();
    device.isOnline = isOnline;
  }

  /** Hides polls and shows them again, in both tabs. With `isContradicted` the user's other device does the opposite. */
  async #changeVisibility(step: VisibilityStep): Promise<void> {
    const { do: kind, device: index, changes, isContradicted } = step;
    const target = (kind === 'report' ? this.reportTargets : this.blockTargets)[step.target] ?? '';
    const operationOf = (isUndone: boolean) => visibilityOperation({ kind, target, isUndone });
    const device = await this.#deviceAt(index);
    for (const { tab, isUndone } of changes) {
      const before = await this.#unsentVisibilityOps(device);
      await changeVisibility(device, tab, operationOf(isUndone));
      const after = new Set(await this.#unsentVisibilityOps(device));
      if (before.some((opId) => !after.has(opId)))
        this.world.coverage.record('a report or a block was undone while it waited');
    }
    if (!isContradicted) return;
    // The devices of a user have adjacent indexes.
    const otherDevice = await this.#deviceAt(index % DEVICES_PER_USER === 0 ? index + 1 : index - 1);
    for (const { tab, isUndone } of changes) await changeVisibility(otherDevice, tab, operationOf(!isUndone));
  }

  #unsentVisibilityOps(device: Device): Promise<string[]> {
    return device.withDb(device.testUser.user.id, async (db) => {
      const unsentOps = await db.ops.filter(({ firstLeasedAt }) => firstLeasedAt === null).toArray();
      const visibilityOps = unsentOps.filter(({ type }) => operationOfType(type).visibilityChange !== null);
      return visibilityOps.map(({ opId }) => opId);
    });
  }

  /** Changes a vote back and forth, and sends each change before the next one, which would otherwise replace it. */
  async #changeOften({ device: index, tab, poll, count }: Extract<Step, { do: 'change_often' }>) {
    const device = await this.#deviceAt(index);
    const { isOnline } = device;
    device.isOnline = true;
    for (const openTab of device.tabs) openTab?.scheduleFault(null);
    const pollId = this.polls[poll] ?? '';
    await vote(device, tab, [pollId], 1);
    for (let change = 0; change < count; change += 1) {
      await untilIdle(this.devices);
      await changeVote(device, tab, pollId, change % 2 === 0 ? 2 : 1);
    }
    await untilIdle(this.devices);
    await this.cancelFaults();
    device.isOnline = isOnline;
  }

  /** Marks notifications as read. The device is online meanwhile, because it has to pull them first. */
  async #markRead(device: Device, tab: number): Promise<void> {
    const { isOnline } = device;
    device.isOnline = true;
    for (const openTab of device.tabs) openTab?.scheduleFault(null);
    await device.tab(tab);
    await markRead(device, tab);
    if (device.markedUpTo.size > 0) this.world.coverage.record('notifications were marked as read');
    device.isOnline = isOnline;
    await untilIdle(this.devices);
    await this.cancelFaults();
  }

  /** Logs out. With `killedAfter` the tab is killed during the logout; all tabs become idle first, so that only its changes count. */
  async #logOut({ device: index, tab: tabIndex, waiting, killedAfter }: LogoutStep): Promise<void> {
    const device = await this.#deviceAt(index);
    // Earlier releases do not finish an interrupted logout.
    if (killedAfter === null || device.isOld) return logOut(device, tabIndex, waiting);
    const tab = await device.tab(tabIndex);
    await untilIdle(this.devices);
    tab.scheduleFault({ kind: 'kill_after_changes', count: killedAfter });
    await logOut(device, tabIndex, waiting);
    if (tab.isDead && device.userOf(tab) === null)
      this.world.coverage.record('a tab was killed while it logged out');
    tab.scheduleFault(null);
  }

  async #performConcurrently({ device: index, actions, faults, isOnline }: ConcurrentStep): Promise<void> {
    const device = await this.#deviceAt(index);
    device.isOnline = isOnline;
    // Cancels freezes scheduled by an earlier step: the actions are awaited.
    for (const tab of device.tabs) tab?.scheduleFault(null);
    this.world.faults.push(...faults);
    const changesSession = actions.some(({ kind }) => kind === 'log_in' || kind === 'log_out');
    if (changesSession) this.world.coverage.record('a login or logout ran concurrently with other actions');
    // In earlier releases a logout may discard a poll that is stored at the same moment.
    const performed = device.isOld ? actions.filter(({ kind }) => kind !== 'log_out') : actions;
    await performConcurrently(device, performed, this);
    await untilIdle(this.devices);
    await this.cancelFaults();
    device.isOnline = false;
  }

  /** Cancels all faults that have not occurred yet. */
  async cancelFaults(): Promise<void> {
    this.world.faults.length = 0;
    this.world.batchFaults.length = 0;
    this.world.cluster.commitFaults.length = 0;
    await this.world.cluster.settle();
  }

  /** Thaws frozen tabs after their leases have expired, so that another tab has taken over. */
  async #thaw(device: Device): Promise<void> {
    await advanceClocks([device], 31_000);
    for (const tab of device.tabs) tab?.thaw();
    await untilIdle([device]);
  }
}
