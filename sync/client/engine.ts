import { v4 as uuidv4 } from 'uuid';
import { createPuller } from '#sync/client/cache/puller.ts';
import { hasSpaceFor, StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import { createEvictions } from '#sync/client/device/evictions.ts';
import { createDrainer } from '#sync/client/drain/drainer.ts';
import { createLive } from '#sync/client/live/live.ts';
import { discardOp } from '#sync/client/outbox/discard.ts';
import { makeDue, moveOps, queueOp, queuePoll, requeueOp, resetBackoff } from '#sync/client/outbox/outbox.ts';
import { finishLogOut, logOut } from '#sync/client/session/log-out.ts';
import {
  checkUser,
  checkUserOrEnd,
  followOtherTab,
  openLastUser,
  startSession,
} from '#sync/client/session/session.ts';
import { createSessionCheck } from '#sync/client/session/session-check.ts';
import type { SessionContext } from '#sync/client/session/session-context.ts';
import { operationOf, operationOfType } from '#sync/operations/registry.ts';
import { background } from './background.ts';
import { createConnectionMonitor, monitoredTransport } from './connection-monitor.ts';
import { openDeviceDb, signedInUserId, type UserDb } from './db.ts';
import { createEmitter } from './emitter.ts';
import { observable } from './observable.ts';
import { createServerClock } from './server-clock.ts';
import { withDatabaseLimit } from './time-limit.ts';
import {
  type Capabilities,
  type Engine,
  type Session,
  SignedOutError,
  type TransportAnswer,
} from './types.ts';

/** An op without an answer by then is reported as `delayed`. */
const DELAYED_AFTER_MS = 1_000;

/** The sync engine of one tab. */
export function createEngine(capabilities: Capabilities): Engine {
  const { clock, databasePrefix, deviceNote, storage, tabs } = capabilities;
  const device = openDeviceDb(databasePrefix);
  const session = observable<Session>({ status: 'loading' });
  const { eviction, ...evictions } = createEvictions(deviceNote, session);
  device.on('populate', (transaction) => {
    const current = session.get();
    if (current.status !== 'user') {
      evictions.noteCleared();
      return;
    }
    // The browser has evicted the device's database: the logged-in user must survive it.
    const entry = { key: 'lastUserId', value: current.user.id };
    background(Promise.resolve(transaction.table('entries').add(entry)));
  });
  const serverClock = createServerClock(clock, (value) =>
    background(device.entries.put({ key: 'clockOffsetMs', value })),
  );

  const { emit, onEvent } = createEmitter();
  const onAnswer = (answer: TransportAnswer | null) => {
    if (answer?.body) serverClock.learnFromHeaders(answer.headers);
  };
  const connection = createConnectionMonitor(capabilities, () => background(refresh(true)));
  const transport = monitoredTransport(capabilities.transport, connection);
  const sessionContext: SessionContext = {
    transport,
    clock,
    device,
    session,
    tabs,
    databasePrefix,
    generation: 0,
    onAnswer,
    deviceNote,
    storage,
    takeCleared: evictions.takeCleared,
    onEvicted: evictions.onEvicted,
  };

  function signedIn(): { db: UserDb; userId: number } {
    const current = session.get();
    if (current.status !== 'user') throw new SignedOutError();
    return { db: current.db, userId: current.user.id };
  }

  /** The server refused the session of `userId`: checks it, unless this tab has another user by now. */
  async function onSessionRejected(userId: number): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.user.id !== userId) return;
    await checkSession(checkUserOrEnd);
  }

  const drainer = createDrainer({
    ...capabilities,
    transport,
    tabId: uuidv4(),
    session,
    emit,
    onAnswer,
    isSignedInHere: async (userId) => (await signedInUserId(device)) === userId,
    onSignedOutElsewhere: () => background(checkSession(followOtherTab)),
    onBlocked: (userId) => background(onSessionRejected(userId)),
    checkSession: () => checkSession(),
  });

  const onChecked = () => {
    evictions.report();
    drainer.drainAll();
  };
  const checkSession = createSessionCheck(sessionContext, onChecked, openAndCheck);
  const puller = createPuller({
    transport,
    clock,
    nowMs: clock.now,
    onAnswer,
    session,
    onSignedOut: onSessionRejected,
  });

  const {
    start: startLive,
    checkResults,
    ...live
  } = createLive({
    ...capabilities,
    session,
    puller,
    connection,
    serverClock,
    refresh: () => refresh(false),
    checkSession: async () => void (await checkSession()),
  });

  onEvent((event) => {
    const { type, op } = event;
    if (!operationOf(op).changesPolls) return;
    // A refused vote needs the current poll. Live updates of later votes may have preceded the answer to one's own.
    if (type === 'rejected' && operationOf(op).newPoll === null) background(puller.pullPoll(op.entityId));
    if (type !== 'applied') return;
    checkResults([op.entityId]);
    if (event.poll !== null) return;
    // The answer could not be read, or its poll is gone: fetches poll and points.
    background(puller.pullPoll(op.entityId));
    background(checkSession());
  });

  let hasAskedToPersist = false;
  /** After an op was queued: asks for a background drain and, once, for persistent storage. */
  function protectStorage(): void {
    capabilities.requestBackgroundDrain();
    if (hasAskedToPersist) return;
    hasAskedToPersist = true;
    background(storage.persist());
  }

  /** Checks the session (after a pending log out) and sends what waits. `isBack`: the server was unreachable before. */
  async function refresh(isBack: boolean): Promise<void> {
    await checkSession();
    await sendWaiting(isBack);
  }

  /** Makes what waits due, except what the server itself has postponed. */
  async function sendWaiting(isBack = false): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    // The service worker blocks ops without ending the session of a tab.
    await moveOps(current.db, 'blocked_auth', 'queued');
    await resetBackoff(current.db, isBack);
    drainer.drainAll();
  }

  /** Stores a change by the person. After a time limit it is given up and not stored later either. */
  async function store<Result>(
    db: UserDb,
    work: (isWanted: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    let isWanted = true;
    try {
      const stored = withFreedSpace(storage, db, () => work(() => isWanted));
      return await withDatabaseLimit(clock, stored);
    } catch (error) {
      isWanted = false;
      throw error;
    }
  }

  /** Emits `delayed` for an op that still waits after a second. */
  function announceIfDelayed(db: UserDb, entityId: string): void {
    clock.setTimeout(() => {
      background(
        db.ops
          .where('entityId')
          .equals(entityId)
          .and((op) => op.state === 'queued' || op.state === 'sending')
          .each((op) => emit({ type: 'delayed', op })),
      );
    }, DELAYED_AFTER_MS);
  }

  /** Shows the last user's cache and sends what waits, then asks the server who is logged in. */
  async function openAndCheck(): Promise<boolean> {
    const offset = await device.entries.get('clockOffsetMs');
    if (offset !== undefined) serverClock.set(offset.value);
    await openLastUser(sessionContext);
    drainer.drainAll();
    return checkUser(sessionContext);
  }

  return {
    session,
    eviction,
    connection: connection.state,
    onEvent,
    async start() {
      tabs.listen(() => background(checkSession(followOtherTab)));
      await checkSession(openAndCheck);
      startLive();
    },
    async signedIn(user) {
      await withDatabaseLimit(clock, startSession(sessionContext, user));
      drainer.clearBackoff();
      drainer.drainAll();
      background(checkSession());
    },
    refreshUser: async () => void (await checkSession()),
    finishLogOut: () => finishLogOut(sessionContext),
    logOut: (waiting, shown) => logOut(sessionContext, waiting, shown),
    async queue(operation) {
      const { db, userId } = signedIn();
      await store(db, (isWanted) => queueOp(db, userId, operation, clock.now(), isWanted));
      protectStorage();
      drainer.drain(operationOfType(operation.type).lane);
    },
    async createPoll(draft, replacesOpId) {
      const { db, userId } = signedIn();
      const bytes = draft.images.reduce((sum, image) => sum + image.bytes.byteLength, 0);
      const pollId = await store(db, async (isWanted) => {
        if (!(await hasSpaceFor(storage, bytes))) throw new StorageFullError();
        return queuePoll(db, userId, draft, clock.now(), { replacesOpId, isWanted });
      });
      protectStorage();
      drainer.drain('creations');
      announceIfDelayed(db, pollId);
      return pollId;
    },
    discard: (opId) => withDatabaseLimit(clock, discardOp(capabilities, signedIn().db, opId)),
    async tryAgain(opId) {
      await withDatabaseLimit(clock, requeueOp(signedIn().db, opId));
      drainer.drainAll();
    },
    async tryNow(opId) {
      await withDatabaseLimit(clock, makeDue(signedIn().db, opId));
      drainer.clearBackoff();
      drainer.drainAll();
    },
    ...puller,
    ...live,
    setVisible(isVisible) {
      live.setVisible(isVisible);
      evictions.setVisible(isVisible);
    },
    serverNow: serverClock.now,
    onServerClock: serverClock.onChange,
    drain: () => background(sendWaiting()),
    wentOffline: connection.wentOffline,
    tryConnection() {
      connection.report('signal');
      background(sendWaiting());
    },
  };
}
