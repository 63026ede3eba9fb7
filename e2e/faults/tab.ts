import { Dexie } from 'dexie';
import type { Option } from '#shared/polls/schema.ts';
import { isQuotaError } from '#sync/client/cache/storage.ts';
import type {
  Capabilities,
  Socket,
  SocketEvents,
  Transport,
  TransportResponse,
} from '#sync/client/capabilities.ts';
import type { Engine } from '#sync/client/engine.ts';
import type { EngineErrorCode } from '#sync/client/engine-errors.ts';
import type { NewOperation, Op } from '#sync/operations/registry.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import type { FakeClock } from '#sync/testing/fake-clock.ts';
import { keysOf } from './batches.ts';
import { type KillSwitch, step } from './kill-switch.ts';
import type { Release } from './releases.ts';
import { type DatabaseWatcher, watchDatabases } from './tab-databases.ts';

/** What ends a tab, or stops it for a while, by itself: a step, a step that changes something, or an answer to an op. */
export type TabEnd =
  | { kind: 'kill_after_steps'; count: number }
  | { kind: 'kill_after_changes'; count: number }
  | { kind: 'kill_at_answer'; count: number }
  | { kind: 'freeze_at_answer'; count: number };

/** What all tabs of a device share. */
export type TabContext = {
  /** Whose engine it runs. */
  release: Release;
  clock: FakeClock;
  network(request: Parameters<Transport>[0], sender: Tab): ReturnType<Transport>;
  /** The locks as this tab sees them. */
  locksOf(tab: Tab): Capabilities['lock'];
  tabs: Capabilities['tabs'];
  random(): number;
  /** The socket to the server; null where a tab has none. */
  openSocket: ((events: SocketEvents) => Socket) | null;
  /** Lets the time pass on the device that an answer to an op takes. */
  passLatency(): Promise<void>;
  onCacheChange(): void;
  onAdded(ops: readonly Op[]): void;
  takesWrite(): boolean;
  /** Whether the browser believes to have a network. */
  isOnline(): boolean;
  /** Called when a tab hears an answer: a frozen one not before it thaws. */
  onResponse(answer: TransportResponse): void;
};

/** One tab with the engine of the app. A frozen one hears no answer and runs no timer until it thaws. */
export class Tab implements DatabaseWatcher {
  readonly engine: Engine;
  readonly release: Release;
  readonly killer: KillSwitch = { stepsLeft: null, countsReads: true, isDead: false };
  readonly databases: DatabaseWatcher['databases'] = [];
  readonly onCacheChange: () => void;
  readonly onAdded: (ops: readonly Op[]) => void;
  /** Whether a write of it has failed for want of room. */
  hasLackedRoom = false;
  databaseOps = 0;
  readonly #context: TabContext;
  #calls = 0;
  #jobs = 0;
  #end: TabEnd | null = null;
  #thaws: (() => void)[] | null = null;

  constructor(prefix: string, context: TabContext) {
    const { clock, release, tabs } = context;
    const lock = context.locksOf(this);
    this.release = release;
    this.onCacheChange = context.onCacheChange;
    this.onAdded = context.onAdded;
    this.#context = context;
    watchDatabases(prefix, this);
    // The first release calls images pictures.
    const { storage } = fakeBrowser;
    const engine: ReleasedEngine = release.createEngine({
      ...fakeBrowser,
      storage: Object.assign({ dropPictures: storage.dropImages }, storage),
      databasePrefix: prefix,
      random: context.random,
      isOnline: context.isOnline,
      clock: {
        now: clock.now,
        setTimeout: (run, delayMs) => clock.setTimeout(() => this.#whenAwake(run), delayMs),
      },
      transport: async (request) => {
        const answer = await this.#send(context, request);
        context.onResponse(answer);
        return answer;
      },
      lock: { ...lock, run: (name, job) => lock.run(name, () => this.#doJob(job)) },
      openSocket: (path, events) =>
        context.openSocket?.(this.#eventsWhenAwake(events)) ?? fakeBrowser.openSocket(path, events),
      tabs: { announce: tabs.announce, listen: (listener) => tabs.listen(() => this.#whenAwake(listener)) },
    });
    this.engine = {
      ...engine,
      setUser: (user) => engine.signedIn?.(user) ?? engine.setUser(user),
      queue: (operation) => this.#storing(queueIn(engine, operation)),
      createPoll: (draft, ...more) =>
        this.#storing(engine.createPoll(Object.assign({ pictures: draft.images }, draft), ...more)),
    };
    if (context.openSocket !== null) this.engine.setVisible(true);
  }

  /** What waits for nothing but the databases takes no time on the device, however slow this machine is. */
  async #storing<Result>(work: Promise<Result>): Promise<Result> {
    this.databaseOps += 1;
    try {
      return await work;
    } finally {
      this.databaseOps -= 1;
    }
  }

  get isDead(): boolean {
    return this.killer.isDead;
  }

  get isFrozen(): boolean {
    return this.#thaws !== null;
  }

  /** Nothing goes on in it that somebody could wait for. */
  get isIdle(): boolean {
    const isStuck = this.isDead || this.isFrozen;
    return this.databaseOps === 0 && this.#calls === 0 && (isStuck || this.#jobs === 0);
  }

  takesWrite(): boolean {
    const isRoom = this.#context.takesWrite();
    if (!isRoom) this.hasLackedRoom = true;
    return isRoom;
  }

  endBy(end: TabEnd | null): void {
    this.#end = end;
    const endsAtStep = end?.kind === 'kill_after_steps' || end?.kind === 'kill_after_changes';
    this.killer.stepsLeft = endsAtStep ? end.count : null;
    this.killer.countsReads = end?.kind !== 'kill_after_changes';
  }

  /** What a tab asks the server, somebody waits for: it must not freeze meanwhile, as an earlier step may have arranged. */
  stayAwake(): void {
    if (this.#end?.kind === 'freeze_at_answer') this.#end = null;
  }

  thaw(): void {
    const thaws = this.#thaws ?? [];
    this.#thaws = null;
    for (const thaw of thaws) thaw();
  }

  kill(): void {
    this.killer.isDead = true;
    this.thaw();
    for (const db of this.databases) db.close();
  }

  #eventsWhenAwake({ opened, heard, received, closed }: ReleasedSocketEvents): SocketEvents {
    return {
      opened: () => this.#whenAwake(opened),
      received: (text) => this.#whenAwake(() => (heard ?? received)(text)),
      closed: (code) => this.#whenAwake(() => closed(code)),
    };
  }

  #whenAwake(run: () => void): void {
    if (this.isDead) return;
    if (this.#thaws === null) run();
    else this.#thaws.push(() => this.#whenAwake(run));
  }

  async #doJob(job: () => Promise<void>): Promise<void> {
    this.#jobs += 1;
    try {
      await job();
    } finally {
      this.#jobs -= 1;
    }
  }

  async #send(context: TabContext, request: Parameters<Transport>[0]): ReturnType<Transport> {
    const isRead = request.method === 'GET';
    step(this.killer, isRead);
    const isOp = keysOf(request).length > 0;
    this.#calls += 1;
    try {
      return await context.network(request, this);
    } finally {
      this.#calls -= 1;
      if (isOp) this.#hear();
      if (isOp) await context.passLatency();
      await new Promise<void>((resolve) => this.#whenThawed(resolve));
      step(this.killer, isRead);
    }
  }

  #whenThawed(resolve: () => void): void {
    if (this.#thaws === null) resolve();
    else this.#thaws.push(resolve);
  }

  /** An answer to an op, or its failure, has come. */
  #hear(): void {
    if (this.#end?.kind !== 'kill_at_answer' && this.#end?.kind !== 'freeze_at_answer') return;
    this.#end.count -= 1;
    if (this.#end.count > 0) return;
    if (this.#end.kind === 'kill_at_answer') this.killer.isDead = true;
    else this.#thaws ??= [];
    this.#end = null;
  }
}

/** A tab fails that was killed, whose user was logged out under it, or that had no room where it `needsRoom`; any other failure is one. */
export function unlessGone(tab: Tab, error: unknown, needsRoom = true): false {
  const isLoggedOut =
    isEngineError(error, 'logged_out', 'SignedOutError') || error instanceof Dexie.DatabaseClosedError;
  const isFull =
    needsRoom &&
    tab.hasLackedRoom &&
    (isQuotaError(error) || isEngineError(error, 'storage_full', 'StorageFullError'));
  if (!tab.isDead && !isLoggedOut && !isFull) throw error;
  return false;
}

/**
 * Whether an engine of any release has thrown it: each has classes of its own, the candidate has names, but no codes, and up to
 * 1.0.0 `logged_out` was `signed_out`.
 */
function isEngineError(error: unknown, code: EngineErrorCode, name: string): boolean {
  if (!(error instanceof Error)) return false;
  if (!('code' in error)) return error.name === name;
  return error.code === code || (code === 'logged_out' && error.code === 'signed_out');
}

/** Up to 1.0.0, `setUser` was `signedIn`. */
type ReleasedEngine = Engine & { signedIn?: Engine['setUser'] };

/** Up to 1.0.0, `received` was `heard`. */
type ReleasedSocketEvents = SocketEvents & { heard?: SocketEvents['received'] };

/** Queues an operation in an engine of any release; the first one has a function for votes alone. */
function queueIn(engine: Engine & { castVote?: FirstCastVote }, operation: NewOperation): Promise<void> {
  const { type, payload } = operation;
  if (engine.castVote === undefined) return engine.queue(operation);
  return type === 'vote' ? engine.castVote(payload.pollId, payload.option) : Promise.resolve();
}

type FirstCastVote = (pollId: string, option: Option) => Promise<void>;
