import { v4 as uuidv4 } from 'uuid';
import { createPuller } from '#sync/client/cache/puller.ts';
import { hasRoomFor, StorageFullError, withRoom } from '#sync/client/cache/storage.ts';
import { createEvictions } from '#sync/client/device/evictions.ts';
import { createDrainer } from '#sync/client/drain/drainer.ts';
import { createUpdates } from '#sync/client/live/updates.ts';
import { discardAfterAttempt } from '#sync/client/outbox/discard.ts';
import { makeDue, moveOps, queueOp, queuePoll, requeueOp, resetBackoff } from '#sync/client/outbox/outbox.ts';
import {
  checkUser,
  checkUserOrEnd,
  enter,
  finishLogOut,
  followOtherTab,
  logOut,
  openLastUser,
  type SessionContext,
} from '#sync/client/session/session.ts';
import { createSessionCheck } from '#sync/client/session/session-check.ts';
import { operationOf, operationOfType } from '#sync/operations/registry.ts';
import { background } from './background.ts';
import { createConnectionMonitor, watchedTransport } from './connection-monitor.ts';
import { openDeviceDb, signedInUserId, type UserDb } from './db.ts';
import { createEmitter } from './emitter.ts';
import { observable } from './observable.ts';
import { createServerClock } from './server-clock.ts';
import { DATABASE_LIMIT_MS, withTimeLimit } from './time-limit.ts';
import {
  type Capabilities,
  type Engine,
  type Session,
  SignedOutError,
  type TransportAnswer,
} from './types.ts';

/** An op that has no answer by then is said to be saved on this device. */
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
    // The browser has removed what the device knew; who is signed in has to outlive it.
    const entry = { key: 'lastUserId', value: current.user.id };
    background(Promise.resolve(transaction.table('entries').add(entry)));
  });
  const serverClock = createServerClock(clock, (value) =>
    background(device.entries.put({ key: 'clockOffsetMs', value })),
  );

  const { emit, onEvent } = createEmitter();
  const onAnswer = (answer: TransportAnswer | null) => {
    if (answer?.body) serverClock.learn(answer.headers);
  };
  const connection = createConnectionMonitor(capabilities, () => background(refresh(true)));
  const transport = watchedTransport(capabilities.transport, connection);
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

  /** The server took somebody else, or nobody, for `userId`: asks it whom, unless this tab has moved on. */
  async function followSession(userId: number): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.user.id !== userId) return;
    await askWho(checkUserOrEnd);
  }

  const drainer = createDrainer({
    ...capabilities,
    transport,
    tabId: uuidv4(),
    session,
    emit,
    onAnswer,
    isSignedInHere: async (userId) => (await signedInUserId(device)) === userId,
    onSignedOutElsewhere: () => background(askWho(followOtherTab)),
    onBlocked: (userId) => background(followSession(userId)),
    checkSession: () => askWho(),
  });

  const onChecked = () => {
    evictions.tell();
    drainer.drainAll();
  };
  const askWho = createSessionCheck(sessionContext, onChecked, openAndCheck);
  const puller = createPuller({
    transport,
    clock,
    nowMs: clock.now,
    onAnswer,
    session,
    onSignedOut: followSession,
  });

  const {
    start: startUpdates,
    look,
    ...updates
  } = createUpdates({
    ...capabilities,
    session,
    puller,
    connection,
    serverClock,
    refresh: () => refresh(false),
    checkSession: async () => void (await askWho()),
  });

  onEvent((event) => {
    const { type, op } = event;
    // After a refusal the poll is shown as it is by now; later votes may have been told before the answer to one's own.
    if (type === 'rejected' && operationOf(op).newPoll === null) background(puller.pullPoll(op.entityId));
    if (type !== 'applied') return;
    look([op.entityId]);
    if (event.poll !== null) return;
    // The answer could not be read, or its poll is gone: what has become of the poll and of the points is asked for.
    background(puller.pullPoll(op.entityId));
    background(askWho());
  });

  let hasAskedToPersist = false;
  /** From the first op on there is something that must not be lost. */
  function keepSafe(): void {
    capabilities.requestBackgroundDrain();
    if (hasAskedToPersist) return;
    hasAskedToPersist = true;
    background(storage.persist());
  }

  /**
   * The server can be reached, again if it `isBack`: it hears of a log out, says who is signed in, and gets what waits.
   */
  async function refresh(isBack: boolean): Promise<void> {
    await askWho();
    await sendWaiting(isBack);
  }

  /** Makes what waits due at once, except what the server itself has put off. */
  async function sendWaiting(isBack = false): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    // The service worker, which knows no session, may have left some behind.
    await moveOps(current.db, 'blocked_auth', 'queued');
    await resetBackoff(current.db, isBack);
    drainer.drainAll();
  }

  /** Stores what a person has done. After a time limit it is given up, and not stored later either. */
  async function store<Result>(
    db: UserDb,
    work: (isWanted: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    let isWanted = true;
    try {
      const stored = withRoom(storage, db, () => work(() => isWanted));
      return await withTimeLimit(clock, DATABASE_LIMIT_MS, stored);
    } catch (error) {
      isWanted = false;
      throw error;
    }
  }

  /** Throws `TimeLimitError` when the browser's database does not answer. */
  function limited<Result>(work: Promise<Result>): Promise<Result> {
    return withTimeLimit(clock, DATABASE_LIMIT_MS, work);
  }

  /** Announces an op that still waits after a moment. */
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

  /** Shows the last user's cache and sends what waits of theirs, then asks the server who is signed in. */
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
      tabs.listen(() => background(askWho(followOtherTab)));
      await askWho(openAndCheck);
      startUpdates();
    },
    async signedIn(user) {
      await withTimeLimit(clock, DATABASE_LIMIT_MS, enter(sessionContext, user));
      drainer.forgetTrouble();
      drainer.drainAll();
      background(askWho());
    },
    refreshUser: async () => void (await askWho()),
    finishLogOut: () => finishLogOut(sessionContext),
    logOut: (waiting, shown) => logOut(sessionContext, waiting, shown),
    async queue(operation) {
      const { db, userId } = signedIn();
      await store(db, (isWanted) => queueOp(db, userId, operation, clock.now(), isWanted));
      keepSafe();
      drainer.drain(operationOfType(operation.type).lane);
    },
    async createPoll(draft, replacesOpId) {
      const { db, userId } = signedIn();
      const bytes = draft.images.reduce((sum, image) => sum + image.bytes.byteLength, 0);
      const pollId = await store(db, async (isWanted) => {
        if (!(await hasRoomFor(storage, bytes))) throw new StorageFullError();
        return queuePoll(db, userId, draft, clock.now(), { replacesOpId, isWanted });
      });
      keepSafe();
      drainer.drain('creations');
      announceIfDelayed(db, pollId);
      return pollId;
    },
    discard: (opId) => limited(discardAfterAttempt(capabilities, signedIn().db, opId)),
    async tryAgain(opId) {
      await limited(requeueOp(signedIn().db, opId));
      drainer.drainAll();
    },
    async tryNow(opId) {
      await limited(makeDue(signedIn().db, opId));
      drainer.forgetTrouble();
      drainer.drainAll();
    },
    ...puller,
    ...updates,
    setVisible(isVisible) {
      updates.setVisible(isVisible);
      evictions.setVisible(isVisible);
    },
    serverNow: serverClock.now,
    onServerClock: serverClock.onChange,
    drain: () => background(sendWaiting()),
    wentOffline: connection.wentOffline,
    tryConnection() {
      connection.tell('signal');
      background(sendWaiting());
    },
  };
}
