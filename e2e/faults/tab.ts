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
import type { Op, SmallOpInput } from '#sync/operations/registry.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import type { FakeClock } from '#sync/testing/fake-clock.ts';
import { keysOf } from './batches.ts';
import { countStep, type KillSwitch } from './kill-switch.ts';
import type { Release } from './releases.ts';
import { type DatabaseWatcher, watchDatabases } from './tab-databases.ts';

/** Kills or freezes a tab after a number of steps, of steps that change something, or of responses to ops. */
export type TabFault =
  | { kind: 'kill_after_steps'; count: number }
  | { kind: 'kill_after_changes'; count: number }
  | { kind: 'kill_at_response'; count: number }
  | { kind: 'freeze_at_response'; count: number };

/** What a device provides to its tabs. */
export type TabContext = {
  /** The release whose engine the tab runs. */
  release: Release;
  clock: FakeClock;
  network(request: Parameters<Transport>[0], sender: Tab): ReturnType<Transport>;
  /** The locks available to a tab. */
  locksOf(tab: Tab): Capabilities['lock'];
  tabs: Capabilities['tabs'];
  random(): number;
  /** Opens a socket to the server; null if the tabs use a fake socket that never opens. */
  openSocket: ((events: SocketEvents) => Socket) | null;
  /** Advances the device's clock by the latency of a response to an op. */
  simulateLatency(): Promise<void>;
  onCacheChange(): void;
  onAdded(ops: readonly Op[]): void;
  allowsWrite(): boolean;
  /** The value of `navigator.onLine`. */
  isOnline(): boolean;
  /** Called when a tab receives a response; in a frozen tab not before it thaws. */
  onResponse(response: TransportResponse): void;
};

/** A tab that runs the sync engine. While it is frozen, it receives no responses and runs no timers. */
export class Tab implements DatabaseWatcher {
  readonly engine: Engine;
  readonly release: Release;
  readonly killSwitch: KillSwitch = { stepsLeft: null, countsReads: true, isDead: false };
  readonly databases: DatabaseWatcher['databases'] = [];
  readonly onCacheChange: () => void;
  readonly onAdded: (ops: readonly Op[]) => void;
  /** Whether one of its writes has exceeded the quota. */
  hasExceededQuota = false;
  databaseOps = 0;
  readonly #context: TabContext;
  #calls = 0;
  /** The number of functions that the tab runs under a lock. */
  #locked = 0;
  #fault: TabFault | null = null;
  /** Work that waits until the tab thaws; null while the tab is not frozen. */
  #suspended: (() => void)[] | null = null;

  constructor(prefix: string, context: TabContext) {
    const { clock, release, tabs } = context;
    const lock = context.locksOf(this);
    this.release = release;
    this.onCacheChange = context.onCacheChange;
    this.onAdded = context.onAdded;
    this.#context = context;
    watchDatabases(prefix, this);
    // The release candidate calls images pictures.
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
        const response = await this.#send(context, request);
        context.onResponse(response);
        return response;
      },
      lock: { ...lock, run: (name, job) => lock.run(name, () => this.#runLocked(job)) },
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

  /** Counts work that only waits for the databases as a database operation: it takes no time on the device's clock. */
  async #storing<Result>(work: Promise<Result>): Promise<Result> {
    this.databaseOps += 1;
    try {
      return await work;
    } finally {
      this.databaseOps -= 1;
    }
  }

  get isDead(): boolean {
    return this.killSwitch.isDead;
  }

  get isFrozen(): boolean {
    return this.#suspended !== null;
  }

  /** Whether nothing is in progress. What a killed or frozen tab runs under a lock does not count. */
  get isIdle(): boolean {
    const isStuck = this.isDead || this.isFrozen;
    return this.databaseOps === 0 && this.#calls === 0 && (isStuck || this.#locked === 0);
  }

  allowsWrite(): boolean {
    const isAllowed = this.#context.allowsWrite();
    if (!isAllowed) this.hasExceededQuota = true;
    return isAllowed;
  }

  scheduleFault(fault: TabFault | null): void {
    this.#fault = fault;
    const isKilledAtStep = fault?.kind === 'kill_after_steps' || fault?.kind === 'kill_after_changes';
    this.killSwitch.stepsLeft = isKilledAtStep ? fault.count : null;
    this.killSwitch.countsReads = fault?.kind !== 'kill_after_changes';
  }

  /** Cancels a freeze scheduled by an earlier step, so that the caller can await a call of this tab. */
  cancelFreeze(): void {
    if (this.#fault?.kind === 'freeze_at_response') this.#fault = null;
  }

  thaw(): void {
    const suspended = this.#suspended ?? [];
    this.#suspended = null;
    for (const run of suspended) run();
  }

  kill(): void {
    this.killSwitch.isDead = true;
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

  /** Calls `run` at once, or when a frozen tab thaws; never in a killed tab. */
  #whenAwake(run: () => void): void {
    if (this.isDead) return;
    if (this.#suspended === null) run();
    else this.#suspended.push(() => this.#whenAwake(run));
  }

  async #runLocked(run: () => Promise<void>): Promise<void> {
    this.#locked += 1;
    try {
      await run();
    } finally {
      this.#locked -= 1;
    }
  }

  async #send(context: TabContext, request: Parameters<Transport>[0]): ReturnType<Transport> {
    const isRead = request.method === 'GET';
    countStep(this.killSwitch, isRead);
    const isOp = keysOf(request).length > 0;
    this.#calls += 1;
    try {
      return await context.network(request, this);
    } finally {
      this.#calls -= 1;
      if (isOp) this.#countResponse();
      if (isOp) await context.simulateLatency();
      await new Promise<void>((resolve) => this.#whenThawed(resolve));
      countStep(this.killSwitch, isRead);
    }
  }

  /** Like `#whenAwake`, but also in a killed tab, so that its call ends. */
  #whenThawed(resolve: () => void): void {
    if (this.#suspended === null) resolve();
    else this.#suspended.push(resolve);
  }

  /** Counts a response to an op, or a network failure. */
  #countResponse(): void {
    if (this.#fault?.kind !== 'kill_at_response' && this.#fault?.kind !== 'freeze_at_response') return;
    this.#fault.count -= 1;
    if (this.#fault.count > 0) return;
    if (this.#fault.kind === 'kill_at_response') this.killSwitch.isDead = true;
    else this.#suspended ??= [];
    this.#fault = null;
  }
}

/**
 * Rethrows an error of a tab unless it is expected: the tab was killed, another tab logged its user out, or, if
 * `mayExceedQuota`, a write exceeded the quota.
 */
export function rethrowUnexpected(
  tab: Tab,
  error: unknown,
  { mayExceedQuota = true }: { mayExceedQuota?: boolean } = {},
): void {
  const isLoggedOut =
    isEngineError(error, 'logged_out', 'SignedOutError') || error instanceof Dexie.DatabaseClosedError;
  const isFull =
    mayExceedQuota &&
    tab.hasExceededQuota &&
    (isQuotaError(error) || isEngineError(error, 'storage_full', 'StorageFullError'));
  if (!tab.isDead && !isLoggedOut && !isFull) throw error;
}

/**
 * Whether an engine of any release has thrown an error with this code. Each release has its own classes. Errors of the release
 * candidate have a name instead of a code, and up to 1.0.0 `logged_out` was `signed_out`.
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

/** Queues an operation in the engine of any release. The release candidate can only queue votes, by a separate function. */
function queueIn(engine: Engine & { castVote?: CandidateCastVote }, operation: SmallOpInput): Promise<void> {
  const { type, payload } = operation;
  if (engine.castVote === undefined) return engine.queue(operation);
  return type === 'vote' ? engine.castVote(payload.pollId, payload.option) : Promise.resolve();
}

type CandidateCastVote = (pollId: string, option: Option) => Promise<void>;
