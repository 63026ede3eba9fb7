import type { User } from '#shared/auth/schema.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { openUserDb, type UserDb } from '#sync/client/db.ts';
import { localLock } from '#sync/client/lock.ts';
import { needsDecision } from '#sync/client/overlay.ts';
import { type Capabilities, type EngineEvent, NetworkFailure, type Transport } from '#sync/client/types.ts';
import { type FakeClock, fakeClock } from '#sync/testing/fake-clock.ts';
import { throughProxy } from './network.ts';
import { passingTime } from './quiet.ts';
import { CURRENT, type Release } from './releases.ts';
import { RevisionWatch } from './revision-watch.ts';
import { SendWatch } from './send-watch.ts';
import { Tab, unlessGone } from './tab.ts';
import type { World } from './world.ts';

export type Person = Awaited<ReturnType<World['addUser']>>;

type DeviceOptions = {
  person: Person;
  name: string;
  /** Whether one lock spans its tabs. */
  hasSharedLock: boolean;
  random: () => number;
  clock?: FakeClock;
  /** What its tabs run until it is updated. */
  release?: Release;
};

/** One browser: its databases outlive its tabs. Online from the start, with its person signed in. */
export class Device {
  readonly clock: FakeClock;
  readonly person: Person;
  readonly name: string;
  /** Whoever was ever signed in here, by user id. */
  readonly people = new Map<number, Person>();
  readonly events: EngineEvent[] = [];
  /** Every op that was ever stored here and not withdrawn, with its user: what the person was promised. */
  readonly promised = new Map<string, number>();
  /** What went wrong on this device as it was watched, in words. */
  readonly broken: string[] = [];
  /** The session that the browser has now; null after it ended. */
  session: { userId: number; cookie: string } | null = null;
  isOnline = true;
  /** How long it waits for each answer to an op. */
  latencyMs = 20;
  /** Answers to reads or to changes are held back until this is settled. */
  held: { method: 'GET' | 'POST'; until: Promise<void> } | null = null;
  /** So many were. */
  heldAnswers = 0;
  /** When a tab last heard an answer that named the time of the next attempt. */
  lastPutOffAt = Number.NEGATIVE_INFINITY;
  readonly sends = new SendWatch();
  readonly shown = new RevisionWatch();
  readonly pass = passingTime(this);
  tabs: (Tab | null)[] = [];
  #tabsMade = 0;
  #isCacheChanged = false;
  readonly #world: World;
  readonly #random: () => number;
  #release: Release;
  readonly #lock: Capabilities['lock'] | null;
  readonly #listeners = new Map<Tab, () => void>();
  readonly #viewers = new Map<number, UserDb>();

  constructor(world: World, { person, name, hasSharedLock, random, clock, release }: DeviceOptions) {
    this.clock = clock ?? fakeClock();
    this.#world = world;
    this.person = person;
    this.name = name;
    this.#random = random;
    this.#release = release ?? CURRENT;
    this.#lock = hasSharedLock ? { ...localLock(), spansTabs: true } : null;
    this.people.set(person.user.id, person);
  }

  async withDb<Result>(userId: number, use: (db: UserDb) => Promise<Result>): Promise<Result> {
    let db = this.#viewers.get(userId);
    if (db === undefined || db.hasBeenClosed()) db = openUserDb(this.name, userId);
    this.#viewers.set(userId, db);
    return use(db);
  }

  get isIdle(): boolean {
    return this.tabs.every((tab) => tab === null || tab.isIdle);
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
      lock: this.#lock ?? localLock(),
      tabs: {
        announce: () => {
          for (const [other, listener] of this.#listeners) if (other !== tab) listener();
        },
        listen: (listener) => tab !== null && this.#listeners.set(tab, listener),
      },
      random: this.#random,
      passLatency: () => this.pass(this.latencyMs),
      onAnswer: ({ headers }) => {
        if (Number(headers.get('Retry-After') ?? 0) > 0) this.lastPutOffAt = this.clock.now();
      },
      onCacheChange: () => {
        this.#isCacheChanged = true;
      },
    });
    tab = made;
    this.tabs[nth] = made;
    made.engine.onEvent((event) => {
      if (made.isDead) return;
      this.events.push(event);
      if (event.type !== 'delayed') this.sends.settle(event.op.opId);
    });
    await made.engine.start().catch((error: unknown) => unlessGone(made, error));
    return made;
  }

  async #exchange(request: Parameters<Transport>[0], sender: Tab): ReturnType<Transport> {
    const key = request.headers[IDEMPOTENCY_KEY_HEADER];
    const { session } = this;
    if (key !== undefined) this.sends.begin(key, sender);
    try {
      const isPoison = key !== undefined && key === this.sends.poison;
      if (!this.isOnline || isPoison) throw new NetworkFailure('offline');
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
      if (key !== undefined) this.sends.end(key, sender);
    }
  }

  /** From now on a tab that is opened runs the engine of this commit. */
  update(): void {
    this.#release = CURRENT;
  }

  /** The user of a tab; null when nobody is signed in there. */
  userOf(tab: Tab): User | null {
    const session = tab.engine.session.get();
    return session.status === 'user' ? session.user : null;
  }

  /** What a person does in a tab; nothing when nobody is signed in there, or it is frozen. */
  async act(nth: number, run: (tab: Tab, db: UserDb, user: User) => Promise<unknown>): Promise<void> {
    const tab = await this.tab(nth);
    const user = this.userOf(tab);
    if (user === null || tab.isFrozen) return;
    const read = () => this.withDb(user.id, (db) => db.ops.toArray());
    const before = await read();
    tab.added.length = 0;
    const isDone = await this.withDb(user.id, (db) => run(tab, db, user)).then(
      () => true,
      (error: unknown) => unlessGone(tab, error),
    );
    const after = new Set((await read()).map(({ opId }) => opId));
    const added = isDone ? [...tab.added, ...after] : after;
    for (const opId of added) this.promised.set(opId, user.id);
    // What the person has decided about is gone on purpose.
    const decided = before.filter((op) => needsDecision(op) && !after.has(op.opId));
    for (const { opId } of decided) this.promised.delete(opId);
  }

  /** From now on the browser's session is `person`'s; no tab has been told. */
  async newSession(person: Person): Promise<void> {
    this.people.set(person.user.id, person);
    this.session = { userId: person.user.id, cookie: await person.newCookie() };
  }

  async logIn(nth: number, person: Person): Promise<void> {
    const tab = await this.tab(nth);
    if (tab.isFrozen) return;
    await this.newSession(person);
    await tab.engine.signedIn(person.user).catch((error: unknown) => unlessGone(tab, error));
  }

  /** Notes when what the device shows has gone back to an older revision. */
  async watch(): Promise<void> {
    if (!this.#isCacheChanged) return;
    this.#isCacheChanged = false;
    for (const userId of this.people.keys()) {
      const rows = await this.withDb(userId, async (db) => [
        ...(await db.polls.toArray()),
        ...(await db.user.toArray()),
      ]);
      this.broken.push(...this.shown.compare(userId, rows));
    }
  }

  close(): void {
    for (const tab of this.tabs) tab?.kill();
    for (const db of this.#viewers.values()) db.close();
  }
}
