import type { User } from '#shared/accounts/schema.ts';
import { EXPECTED_EPOCH_HEADER } from '#shared/http.ts';
import type { Transport } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { localLock } from '#sync/client/device/lock.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import type { Op } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { RETRY_AFTER_MAX_MS } from '#sync/protocol/outcome.ts';
import { type FakeClock, fakeClock } from '#sync/testing/fake-clock.ts';
import { asksToWait, keysOf } from './batches.ts';
import { DeviceRoom } from './device-room.ts';
import { throughProxy } from './network.ts';
import { openNewerSocket } from './newer-server.ts';
import { passingTime } from './quiet.ts';
import { CURRENT, type Release } from './releases.ts';
import { RevisionWatch } from './revision-watch.ts';
import { SendWatch } from './send-watch.ts';
import { SharedLocks } from './shared-locks.ts';
import { Tab, unlessGone } from './tab.ts';
import { evictDatabases } from './tab-databases.ts';
import { Viewers } from './viewers.ts';
import type { World } from './world.ts';

export type Person = Awaited<ReturnType<World['addUser']>>;

type DeviceOptions = {
  person: Person;
  name: string;
  /** Whether one lock spans its tabs. */
  hasSharedLock: boolean;
  /** Whether its tabs hear of each other: of what happens to the session. */
  hasChannel?: boolean;
  random: () => number;
  clock?: FakeClock;
  /** What its tabs run until it is updated. */
  release?: Release;
};

/** One browser: its databases outlive its tabs. Online from the start, with its person logged in. */
export class Device {
  readonly clock: FakeClock;
  readonly person: Person;
  readonly name: string;
  readonly hasChannel: boolean;
  /** Whoever was ever logged in here, by user id. */
  readonly people = new Map<number, Person>();
  readonly events: EngineEvent[] = [];
  /** Every op that was ever stored here and not withdrawn, with its user: what the person was promised. */
  readonly promised = new Map<string, number>();
  /** Of them those that were acknowledged before the server was restored, and wait for the device to notice that. */
  readonly unrepeated = new Set<string>();
  /** What was acknowledged before a log out that a killed tab has left to the next start, which forgets it. */
  readonly leftBehind = new Set<string>();
  /** Those that were sent again after a restore, and are dropped without a word where they are refused. */
  readonly repeatedVotes = new Set<string>();
  /** The newest notification that each user has marked as read here. */
  readonly markedUpTo = new Map<number, number>();
  /** What went wrong on this device as it was watched, in words. */
  readonly broken: string[] = [];
  /** The session that the browser has now; null after it ended. */
  session: { userId: number; cookie: string } | null = null;
  isOnline = true;
  /** Whether its server has gone back in time. */
  wasRestored = false;
  /** How long it waits for each answer to an op. */
  latencyMs = 20;
  /** Answers to reads or to changes are held back until this is settled. */
  held: { method: 'GET' | 'POST'; until: Promise<void> } | null = null;
  /** So many were. */
  heldAnswers = 0;
  /** The latest time that its clock had shown when it was put back. */
  latestMs = Number.NEGATIVE_INFINITY;
  /** When a tab last heard an answer that named the time of the next attempt. */
  lastPutOffAt = Number.NEGATIVE_INFINITY;
  readonly sends = new SendWatch();
  readonly shown = new RevisionWatch();
  readonly pass = passingTime(this);
  tabs: (Tab | null)[] = [];
  /** Tabs that stay frozen and are looked at no more. */
  readonly frozenTabs: Tab[] = [];
  readonly room = new DeviceRoom();
  /** The last op that was acknowledged about each thing, by user and thing: its place in the queue. */
  readonly #acknowledged = new Map<string, number>();
  /** The poll of each op that was ever stored here. */
  readonly #pollIds = new Map<string, string>();
  /** The keys that were sent while there was a network. */
  readonly #left = new Set<string>();
  #tabsMade = 0;
  #isCacheChanged = false;
  readonly #world: World;
  readonly #random: () => number;
  #release: Release;
  readonly #locks: SharedLocks | null;
  readonly #listeners = new Map<Tab, () => void>();
  readonly #viewers: Viewers;

  constructor(world: World, options: DeviceOptions) {
    const { person, name, hasSharedLock, random, clock, release, hasChannel = true } = options;
    this.clock = clock ?? fakeClock();
    this.#world = world;
    this.person = person;
    this.name = name;
    this.#viewers = new Viewers(name);
    this.#random = random;
    this.#release = release ?? CURRENT;
    this.#locks = hasSharedLock ? new SharedLocks() : null;
    this.hasChannel = hasChannel;
    this.people.set(person.user.id, person);
  }

  withDb<Result>(userId: number, use: (db: UserDb) => Promise<Result>): Promise<Result> {
    return this.#viewers.withDb(userId, this.tabs, use);
  }

  /** The keys of all that is queued here for a user. */
  opIdsOf(userId: number): Promise<string[]> {
    return this.withDb(userId, async (db) => (await db.ops.toArray()).map(({ opId }) => opId));
  }

  get isIdle(): boolean {
    return [...this.tabs, ...this.frozenTabs].every((tab) => !tab || tab.isIdle);
  }

  /** The living tab of this number, opened unless it is there. */
  async tab(nth = 0): Promise<Tab> {
    const there = this.tabs[nth];
    if (there && !there.isDead) return there;
    there?.kill();
    if (this.#tabsMade === 0) await this.newSession(this.person);
    this.#tabsMade += 1;
    let tab: Tab | null = null;
    const made = new Tab(`${this.name}~${this.#tabsMade}`, {
      clock: this.clock,
      release: this.#release,
      network: (request, sender) => this.#exchange(request, sender),
      // Without a lock that spans tabs each has its own: nothing may depend on it.
      locksOf: (one) => this.#locks?.of(one) ?? localLock(),
      tabs: {
        announce: () => {
          if (!this.hasChannel) this.#world.happenings.note('tabs did not hear of each other');
          else for (const [other, listener] of this.#listeners) if (other !== tab) listener();
        },
        listen: (listener) => tab !== null && this.#listeners.set(tab, listener),
      },
      random: this.#random,
      openSocket: this.#world.newer.isOn ? (events) => openNewerSocket(events, this.#world.happenings) : null,
      passLatency: () => this.pass(this.latencyMs),
      onResponse: (answer) => {
        if (asksToWait(answer)) this.lastPutOffAt = this.clock.now();
      },
      onCacheChange: () => {
        this.#isCacheChanged = true;
      },
      onAdded: (ops) => {
        for (const op of ops) this.#promise(op);
      },
      isOnline: () => this.isOnline,
      takesWrite: () => {
        const isRoom = this.room.takesWrite();
        if (isRoom) return true;
        this.#world.happenings.note('a write failed for want of room');
        this.forgetUnrepeated();
        return false;
      },
    });
    tab = made;
    this.tabs[nth] = made;
    if (this.#release !== CURRENT) this.#world.happenings.note('a device ran the release before');
    made.engine.onEvent((event) => {
      if (made.isDead) return;
      this.events.push(event);
      if (event.type !== 'delayed') this.sends.settle(event.op.opId);
      if (event.type === 'applied') this.#noteOrder(event.op);
    });
    let user = this.userOf(made);
    made.engine.session.subscribe(() => {
      const former = user;
      user = this.userOf(made);
      // Somebody else is logged in: of what the former user has been told nothing is kept.
      if (former !== null && user !== null && former.id !== user.id) this.forgetUnrepeated(former.id);
    });
    // The release candidate needs room to start.
    await made.engine.start().catch((error: unknown) => unlessGone(made, error, this.isOld));
    return made;
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
      for (const key of keys) this.#left.add(key);
      const answer = await throughProxy(this.#world, this, sender.release, {
        ...request,
        headers: { ...request.headers, ...(session === null ? {} : { Cookie: session.cookie }) },
      });
      if (this.held?.method === request.method) {
        this.heldAnswers += 1;
        await this.held.until;
      }
      const isLogOut = request.path === '/api/logout' && answer.status === 204;
      if (isLogOut && this.session === session) this.session = null;
      return answer;
    } finally {
      for (const key of keys) this.sends.end(key, sender);
    }
  }

  /** The app is closed, and runs the engine of this commit when it is opened again. */
  update(): void {
    if (this.#release === CURRENT) return;
    this.#world.happenings.note('a device was updated');
    this.#release = CURRENT;
    for (const tab of this.tabs) tab?.kill();
  }

  /** The person puts the clock back, which the release before does not notice. */
  putClockBack(byMs: number): void {
    if (this.isOld) return;
    this.#world.happenings.note("a device's clock was put back");
    this.latestMs = Math.max(this.latestMs, this.clock.now());
    this.clock.putBack(byMs);
    // The time of an attempt may count again.
    this.lastPutOffAt = this.clock.now() + RETRY_AFTER_MAX_MS;
    // What was acknowledged too far ahead is kept no more.
    this.forgetUnrepeated();
  }

  /** Whether its tabs run the release before. */
  get isOld(): boolean {
    return this.#release !== CURRENT;
  }

  /** Whether one lock spans its tabs. */
  get hasSharedLock(): boolean {
    return this.#locks !== null;
  }

  /** Tabs that are frozen now stay so for good; others are opened in their place. */
  leaveFrozen(): void {
    for (const [nth, tab] of this.tabs.entries()) {
      if (!tab?.isFrozen || tab.isDead) continue;
      this.frozenTabs.push(tab);
      this.tabs[nth] = null;
      this.#world.happenings.note('a tab stayed frozen for good');
      if (this.#locks?.isHeldBy(tab) === true) {
        this.#world.happenings.note('a tab that held a lock stayed frozen for good');
      }
    }
  }

  /** The browser deletes all that is stored here: nothing of it is promised any more. */
  async evict(isClosed: boolean): Promise<void> {
    if (isClosed) for (const tab of this.tabs) tab?.kill();
    this.#viewers.close();
    const living = [...this.tabs, ...this.frozenTabs].flatMap((tab) => (tab?.isDead === false ? [tab] : []));
    const isOpen = living.length > 0;
    this.#world.happenings.note(
      isOpen ? 'the databases of an open tab were evicted' : 'the databases of a closed device were evicted',
    );
    await evictDatabases(
      this.name,
      living.flatMap(({ databases }) => databases),
    );
    this.promised.clear();
    this.unrepeated.clear();
    // The new queue counts from the beginning.
    this.#acknowledged.clear();
    for (const userId of this.people.keys()) this.shown.forget(userId);
  }

  #noteOrder({ userId, entityId, type, seq }: Op): void {
    const name = `${userId} ${entityId}`;
    const last = this.#acknowledged.get(name) ?? 0;
    if (seq < last) this.broken.push(`${type} ${seq} about ${entityId} was acknowledged after ${last}`);
    this.#acknowledged.set(name, seq);
  }

  #promise(op: Op): void {
    // It has no receipt: `checkNotifications` looks at its effect.
    if (op.type === 'markRead') return;
    this.#pollIds.set(op.opId, op.entityId);
    // A tab may have heard the former server's answer after the restore, before the device noticed it.
    if (op.isRepeated === true && this.wasRestored) this.sends.forgetSettled([op.opId]);
    this.promised.set(op.opId, op.userId);
    this.unrepeated.delete(op.opId);
    if (op.isRepeated === true && op.type !== 'createPoll') this.repeatedVotes.add(op.opId);
  }

  /** What was acknowledged to a user, or to anybody, is kept no more: a restored server does not get it again. */
  forgetUnrepeated(userId: number | null = null): void {
    for (const opId of this.unrepeated) {
      if (userId !== null && this.promised.get(opId) !== userId) continue;
      this.promised.delete(opId);
      this.unrepeated.delete(opId);
    }
  }

  /** The user of a tab; null when nobody is logged in there. */
  userOf(tab: Tab): User | null {
    const session = tab.engine.session.get();
    return session.status === 'user' ? session.user : null;
  }

  /**
   * What a person does in a tab; nothing when nobody is logged in there, or it is frozen. What waits unsent about the poll
   * `replacedId` may be replaced by it.
   */
  async act(
    nth: number,
    run: (tab: Tab, db: UserDb, user: User) => Promise<unknown>,
    replacedId: string | null = null,
  ): Promise<void> {
    const tab = await this.tab(nth);
    const user = this.userOf(tab);
    if (user === null || tab.isFrozen) return;
    const read = () => this.withDb(user.id, (db) => db.ops.toArray());
    const before = await read();
    await this.withDb(user.id, (db) => run(tab, db, user)).catch((error: unknown) => unlessGone(tab, error));
    const after = new Set((await read()).map(({ opId }) => opId));
    // What the person has decided about is gone on purpose.
    const decided = before.filter((op) => needsDecision(op) && !after.has(op.opId));
    for (const { opId } of decided) this.promised.delete(opId);
    for (const [opId, pollId] of this.#pollIds) {
      const isReplaced = pollId === replacedId && !after.has(opId) && !this.#left.has(opId);
      if (isReplaced) this.promised.delete(opId);
    }
  }

  /** From now on the browser's session is `person`'s; no tab has been told. */
  async newSession(person: Person): Promise<void> {
    this.people.set(person.user.id, person);
    this.session = { userId: person.user.id, cookie: await person.newCookie() };
  }

  async logIn(nth: number, person: Person): Promise<void> {
    const tab = await this.tab(nth);
    if (tab.isFrozen) return;
    tab.stayAwake();
    await this.newSession(person);
    const user = await person.readUser();
    await tab.engine.setUser(user).catch((error: unknown) => unlessGone(tab, error));
  }

  /** Notes when what the device shows has gone back to an older revision. */
  async watch(): Promise<void> {
    if (!this.#isCacheChanged) return;
    this.#isCacheChanged = false;
    for (const userId of this.people.keys()) {
      const [polls, users] = await this.withDb(userId, (db) =>
        db.transaction('r', db.polls, db.user, () => Promise.all([db.polls.toArray(), db.user.toArray()])),
      );
      const history = `${userId} in ${users[0]?.epoch}`;
      this.broken.push(...this.shown.compare(history, [...polls, ...users]));
    }
  }

  close(): void {
    for (const tab of [...this.tabs, ...this.frozenTabs]) tab?.kill();
    this.#viewers.close();
  }
}
