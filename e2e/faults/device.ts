import type { User } from '#shared/accounts/schema.ts';
import { EXPECTED_EPOCH_HEADER } from '#shared/http.ts';
import type { Transport } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { localLock } from '#sync/client/device/lock.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { RETRY_AFTER_MAX_MS } from '#sync/protocol/outcome.ts';
import { type FakeClock, fakeClock } from '#sync/testing/fake-clock.ts';
import { hasRetryAfter, keysOf } from './batches.ts';
import { DatabaseInspector } from './database-inspector.ts';
import { clockAdvancer } from './idle.ts';
import { sendThroughProxy } from './network.ts';
import { openNewerSocket } from './newer-server.ts';
import { CURRENT, type Release } from './releases.ts';
import { RevisionMonitor } from './revision-monitor.ts';
import { SendMonitor } from './send-monitor.ts';
import { SharedLocks } from './shared-locks.ts';
import { StorageQuota } from './storage-quota.ts';
import { rethrowUnexpected, Tab } from './tab.ts';
import { evictDatabases } from './tab-databases.ts';
import type { World } from './world.ts';

export type TestUser = Awaited<ReturnType<World['addUser']>>;

export type DeviceOptions = {
  testUser: TestUser;
  name: string;
  /** Whether its tabs share Web Locks; by default, each tab has its own. */
  hasSharedLock?: boolean;
  /** Whether its tabs have a broadcast channel, over which they notify each other of a login or logout. */
  hasChannel?: boolean;
  random: () => number;
  clock?: FakeClock;
  /** The release that its tabs run until `update`; by default this commit's. */
  release?: Release;
};

/** One browser, whose databases outlive its tabs. It starts online, with its user logged in. */
export class Device {
  readonly clock: FakeClock;
  readonly testUser: TestUser;
  readonly name: string;
  readonly hasChannel: boolean;
  /** All users that were ever logged in here, by user id. */
  readonly testUsers = new Map<number, TestUser>();
  readonly events: EngineEvent[] = [];
  /** All ops that were stored here and must not get lost, with the ids of their users. */
  readonly durableOps = new Map<string, number>();
  /** All ops ever stored here, except `markRead`, by id. */
  readonly storedOps = new Map<string, Op>();
  /** Durable ops that a restore of the server has undone, and that the device has not queued again yet. */
  readonly notYetRepeated = new Set<string>();
  /** Acknowledged ops that a logout has left behind; the next start of the app finishes the logout and deletes them. */
  readonly deletedAtNextStart = new Set<string>();
  /** Ops that were queued again after a restore; the device drops them without a message if they are refused. */
  readonly repeatedOps = new Set<string>();
  /** The id of the newest notification that a user has marked as read here, by user id. */
  readonly markedUpTo = new Map<number, number>();
  /** Violations that were detected on this device during the history. */
  readonly violations: string[] = [];
  /** The session of the browser's cookie; null after it ended. */
  session: { userId: number; cookie: string } | null = null;
  isOnline = true;
  /** Whether its server was restored from a backup. */
  wasServerRestored = false;
  /** The time that each response to an op takes on the device's clock. */
  latencyMs = 20;
  /** Delays the responses to GET or POST requests until the promise settles. */
  responseDelay: { method: 'GET' | 'POST'; until: Promise<void> } | null = null;
  /** The number of responses that were delayed by `responseDelay`. */
  delayedResponses = 0;
  /** The latest time that its clock has shown before it was set back. */
  latestMs = Number.NEGATIVE_INFINITY;
  /** When a tab last received a response with `Retry-After`. */
  lastRetryAfterAt = Number.NEGATIVE_INFINITY;
  readonly sends = new SendMonitor();
  readonly revisions = new RevisionMonitor();
  readonly advanceClock = clockAdvancer(this);
  tabs: (Tab | null)[] = [];
  /** Tabs that remain frozen for the rest of the history, or until `heal` thaws them. */
  readonly frozenTabs: Tab[] = [];
  readonly quota = new StorageQuota();
  /** The `seq` of the last acknowledged op, by user, entity and whether the op changes polls. */
  readonly #acknowledged = new Map<string, number>();
  /** The keys that were sent while the device was online. */
  readonly #sentKeys = new Set<string>();
  #tabsOpened = 0;
  #isCacheChanged = false;
  readonly #world: World;
  readonly #random: () => number;
  #release: Release;
  readonly #locks: SharedLocks | null;
  readonly #listeners = new Map<Tab, () => void>();
  readonly #inspector: DatabaseInspector;

  constructor(world: World, options: DeviceOptions) {
    const { testUser, name, hasSharedLock = false, random, clock, release, hasChannel = true } = options;
    this.clock = clock ?? fakeClock();
    this.#world = world;
    this.testUser = testUser;
    this.name = name;
    this.#inspector = new DatabaseInspector(name);
    this.#random = random;
    this.#release = release ?? CURRENT;
    this.#locks = hasSharedLock ? new SharedLocks() : null;
    this.hasChannel = hasChannel;
    this.testUsers.set(testUser.user.id, testUser);
  }

  withDb<Result>(userId: number, use: (db: UserDb) => Promise<Result>): Promise<Result> {
    return this.#inspector.withDb(userId, this.tabs, use);
  }

  /** The ids of a user's queued ops. */
  opIdsOf(userId: number): Promise<string[]> {
    return this.withDb(userId, async (db) => (await db.ops.toArray()).map(({ opId }) => opId));
  }

  get isIdle(): boolean {
    return [...this.tabs, ...this.frozenTabs].every((tab) => !tab || tab.isIdle);
  }

  /** The tab with this number; opens it if it is missing or was killed. */
  async tab(tabIndex = 0): Promise<Tab> {
    const existing = this.tabs[tabIndex];
    if (existing && !existing.isDead) return existing;
    existing?.kill();
    if (this.#tabsOpened === 0) await this.startSession(this.testUser);
    this.#tabsOpened += 1;
    let tab: Tab | null = null;
    const opened = new Tab(`${this.name}~${this.#tabsOpened}`, {
      clock: this.clock,
      release: this.#release,
      network: (request, sender) => this.#exchange(request, sender),
      locksOf: (sharingTab) => this.#locks?.of(sharingTab) ?? localLock(),
      tabs: {
        announce: () => {
          if (!this.hasChannel) return this.#world.coverage.record('tabs had no broadcast channel');
          for (const [other, listener] of this.#listeners) if (other !== tab) listener();
        },
        listen: (listener) => {
          if (tab !== null) this.#listeners.set(tab, listener);
        },
      },
      random: this.#random,
      openSocket: this.#world.newer.isOn ? (events) => openNewerSocket(events, this.#world.coverage) : null,
      simulateLatency: () => this.advanceClock(this.latencyMs),
      onResponse: (response) => {
        if (hasRetryAfter(response)) this.lastRetryAfterAt = this.clock.now();
      },
      onCacheChange: () => {
        this.#isCacheChanged = true;
      },
      onAdded: (ops) => {
        for (const op of ops) this.#trackStored(op);
      },
      isOnline: () => this.isOnline,
      allowsWrite: () => {
        if (this.quota.allowsWrite()) return true;
        this.#world.coverage.record('a write exceeded the quota');
        // To free space, the device deletes acknowledged ops.
        this.forgetNotYetRepeated();
        return false;
      },
    });
    tab = opened;
    this.tabs[tabIndex] = opened;
    if (this.#release !== CURRENT) this.#world.coverage.record('a device ran an earlier release');
    opened.engine.onEvent((event) => {
      if (opened.isDead) return;
      this.events.push(event);
      if (event.type !== 'delayed') this.sends.settle(event.op.opId);
      if (event.type === 'applied') this.#checkOrder(event.op);
    });
    let user = this.userOf(opened);
    opened.engine.session.subscribe(() => {
      const previous = user;
      user = this.userOf(opened);
      // A login of another user deletes the acknowledged ops of the previous one.
      if (previous !== null && user !== null && previous.id !== user.id)
        this.forgetNotYetRepeated(previous.id);
    });
    // An earlier release may have to write in order to start.
    await opened.engine
      .start()
      .catch((error: unknown) => rethrowUnexpected(opened, error, { mayExceedQuota: this.isOld }));
    return opened;
  }

  async #exchange(request: Parameters<Transport>[0], sender: Tab): ReturnType<Transport> {
    const keys = keysOf(request);
    const { session } = this;
    for (const key of keys) this.sends.begin(key, sender, request.headers[EXPECTED_EPOCH_HEADER]);
    try {
      const { poison } = this.sends;
      const isPoison = poison !== null && keys.includes(poison.opId);
      if (isPoison && session !== null) {
        const ops = await this.withDb(session.userId, (db) => db.ops.toArray());
        this.sends.countFailure(poison, ops, this.clock.now());
      }
      if (!this.isOnline || isPoison) throw new NetworkFailure('offline');
      for (const key of keys) this.#sentKeys.add(key);
      const response = await sendThroughProxy(this.#world, this, sender.release, {
        ...request,
        headers: { ...request.headers, ...(session === null ? {} : { Cookie: session.cookie }) },
      });
      if (this.responseDelay?.method === request.method) {
        this.delayedResponses += 1;
        await this.responseDelay.until;
      }
      const isLogout = request.path === '/api/logout' && response.status === 204;
      if (isLogout && this.session === session) this.session = null;
      return response;
    } finally {
      for (const key of keys) this.sends.end(key, sender);
    }
  }

  /** Closes all tabs; those opened from now on run the engine of this commit. */
  update(): void {
    if (this.#release === CURRENT) return;
    this.#world.coverage.record('a device was updated');
    this.#release = CURRENT;
    for (const tab of this.tabs) tab?.kill();
  }

  /** Sets the clock back. Does nothing on a device with an earlier release, which does not detect such a change. */
  setClockBack(byMs: number): void {
    if (this.isOld) return;
    this.#world.coverage.record("a device's clock was set back");
    this.latestMs = Math.max(this.latestMs, this.clock.now());
    this.clock.setBack(byMs);
    // A `Retry-After` that had passed may be in the future again.
    this.lastRetryAfterAt = this.clock.now() + RETRY_AFTER_MAX_MS;
    // The device deletes ops that were acknowledged too far in the future.
    this.forgetNotYetRepeated();
  }

  /** Whether its tabs run an earlier release. */
  get isOld(): boolean {
    return this.#release !== CURRENT;
  }

  /** Whether its tabs share Web Locks. */
  get hasSharedLock(): boolean {
    return this.#locks !== null;
  }

  /** Leaves the frozen tabs frozen; `tab` opens new tabs in their place. */
  abandonFrozenTabs(): void {
    for (const [tabIndex, tab] of this.tabs.entries()) {
      if (!tab?.isFrozen || tab.isDead) continue;
      this.frozenTabs.push(tab);
      this.tabs[tabIndex] = null;
      this.#world.coverage.record('a tab remained frozen');
      if (this.#locks?.isHeldBy(tab) === true) {
        this.#world.coverage.record('a tab that held a lock remained frozen');
      }
    }
  }

  /** Deletes all databases, with open tabs or after closing all of them. Evicted ops may get lost. */
  async evict({ isClosed }: { isClosed: boolean }): Promise<void> {
    if (isClosed) for (const tab of this.tabs) tab?.kill();
    this.#inspector.close();
    const openTabs = [...this.tabs, ...this.frozenTabs].flatMap((tab) =>
      tab?.isDead === false ? [tab] : [],
    );
    const isOpen = openTabs.length > 0;
    this.#world.coverage.record(
      isOpen ? 'the databases of an open tab were evicted' : 'the databases of a closed device were evicted',
    );
    await evictDatabases(
      this.name,
      openTabs.flatMap(({ databases }) => databases),
    );
    this.durableOps.clear();
    this.notYetRepeated.clear();
    // `seq` starts at 1 again.
    this.#acknowledged.clear();
    for (const userId of this.testUsers.keys()) this.revisions.forget(userId);
  }

  #checkOrder(op: Op): void {
    const { userId, entityId, type, seq } = op;
    // A report does not wait for a postponed vote, nor a vote for a postponed report.
    const name = `${userId} ${entityId} ${operationOf(op).changesPolls}`;
    const last = this.#acknowledged.get(name) ?? 0;
    if (seq < last) this.violations.push(`${type} ${seq} about ${entityId} was acknowledged after ${last}`);
    this.#acknowledged.set(name, seq);
  }

  #trackStored(op: Op): void {
    // This op has no receipt; `checkNotifications` checks its effect instead.
    if (op.type === 'markRead') return;
    this.storedOps.set(op.opId, op);
    // Between the restore and its detection a tab may still have received a response from before the restore.
    if (op.isRepeated === true && this.wasServerRestored) this.sends.forgetSettled([op.opId]);
    this.durableOps.set(op.opId, op.userId);
    this.notYetRepeated.delete(op.opId);
    if (op.isRepeated === true && op.type !== 'createPoll') this.repeatedOps.add(op.opId);
  }

  /**
   * Called when the device deletes the acknowledged ops of a user, or of all users if `userId` is null: it will not send
   * them again to a restored server.
   */
  forgetNotYetRepeated(userId: number | null = null): void {
    for (const opId of this.notYetRepeated) {
      if (userId !== null && this.durableOps.get(opId) !== userId) continue;
      this.durableOps.delete(opId);
      this.notYetRepeated.delete(opId);
    }
  }

  /** The user of a tab; null when nobody is logged in there. */
  userOf(tab: Tab): User | null {
    const session = tab.engine.session.get();
    return session.status === 'user' ? session.user : null;
  }

  /**
   * Runs a user's action in a tab, unless nobody is logged in there or the tab is frozen. The action may replace unsent
   * ops about the entity `replacedId`.
   */
  async perform(
    tabIndex: number,
    run: (tab: Tab, db: UserDb, user: User) => Promise<unknown>,
    replacedId: string | null = null,
  ): Promise<void> {
    const tab = await this.tab(tabIndex);
    const user = this.userOf(tab);
    if (user === null || tab.isFrozen) return;
    const readOps = () => this.withDb(user.id, (db) => db.ops.toArray());
    const before = await readOps();
    await this.withDb(user.id, (db) => run(tab, db, user)).catch((error: unknown) =>
      rethrowUnexpected(tab, error),
    );
    const after = new Set((await readOps()).map(({ opId }) => opId));
    // The user has decided to remove or replace these.
    const decided = before.filter((op) => needsDecision(op) && !after.has(op.opId));
    for (const { opId } of decided) this.durableOps.delete(opId);
    for (const [opId, { entityId }] of this.storedOps) {
      const isReplaced = entityId === replacedId && !after.has(opId) && !this.#sentKeys.has(opId);
      if (isReplaced) this.durableOps.delete(opId);
    }
  }

  /** Gives the browser a session cookie of `testUser`, without notifying the tabs. */
  async startSession(testUser: TestUser): Promise<void> {
    this.testUsers.set(testUser.user.id, testUser);
    this.session = { userId: testUser.user.id, cookie: await testUser.newCookie() };
  }

  async logIn(tabIndex: number, testUser: TestUser): Promise<void> {
    const tab = await this.tab(tabIndex);
    if (tab.isFrozen) return;
    tab.cancelFreeze();
    await this.startSession(testUser);
    const user = await testUser.readUser();
    await tab.engine.setUser(user).catch((error: unknown) => rethrowUnexpected(tab, error));
  }

  /** Records a violation if a cached row has gone back to an older revision. */
  async checkRevisions(): Promise<void> {
    if (!this.#isCacheChanged) return;
    this.#isCacheChanged = false;
    for (const userId of this.testUsers.keys()) {
      const [polls, users] = await this.withDb(userId, (db) =>
        db.transaction('r', db.polls, db.user, () => Promise.all([db.polls.toArray(), db.user.toArray()])),
      );
      const violations = this.revisions.compare({ userId, epoch: users[0]?.epoch }, [...polls, ...users]);
      this.violations.push(...violations);
    }
  }

  close(): void {
    for (const tab of [...this.tabs, ...this.frozenTabs]) tab?.kill();
    this.#inspector.close();
  }
}
