import { v4 as uuidv4 } from 'uuid';
import { background } from './background.ts';
import { createConnectionMonitor, watchedTransport } from './connection-monitor.ts';
import { openDeviceDb, type UserDb } from './db.ts';
import { discardOp } from './discard.ts';
import { createDrainer } from './drainer.ts';
import { createEmitter } from './emitter.ts';
import { observable } from './observable.ts';
import { moveOps, queuePoll, queueVote, requeueOp, resetBackoff } from './outbox.ts';
import { createPuller } from './puller.ts';
import { createServerClock } from './server-clock.ts';
import {
  endSession,
  enter,
  finishLogOut,
  followOtherTab,
  logOut,
  openLastUser,
  type SessionContext,
} from './session.ts';
import { createSessionCheck } from './session-check.ts';
import { hasRoomFor, StorageFullError, withRoom } from './storage.ts';
import {
  type Capabilities,
  type Engine,
  type Session,
  SignedOutError,
  type TransportAnswer,
} from './types.ts';
import { createUpdates } from './updates.ts';

/** An op that has no answer by then is said to be saved on this device. */
const DELAYED_AFTER_MS = 1_000;

/** The sync engine of one tab. */
export function createEngine(capabilities: Capabilities): Engine {
  const { clock, databasePrefix, storage, tabs } = capabilities;
  const device = openDeviceDb(databasePrefix);
  const session = observable<Session>({ status: 'loading' });
  const serverClock = createServerClock(clock, (value) =>
    background(device.entries.put({ key: 'clockOffsetMs', value })),
  );

  const { emit, onEvent } = createEmitter();
  const onAnswer = (answer: TransportAnswer | null) => {
    if (answer?.body) serverClock.learn(answer.headers);
  };
  const connection = createConnectionMonitor(capabilities, () => background(refresh()));
  const transport = watchedTransport(capabilities.transport, connection);
  const sessionContext: SessionContext = {
    transport,
    device,
    session,
    tabs,
    databasePrefix,
    generation: 0,
    onAnswer,
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
    await endSession(sessionContext);
    await askWho();
  }

  const drainer = createDrainer({
    ...capabilities,
    transport,
    owner: uuidv4(),
    session,
    emit,
    onAnswer,
    onBlocked: (userId) => background(followSession(userId)),
  });

  const askWho = createSessionCheck(sessionContext, clock, () => drainer.drainAll());
  const puller = createPuller({ transport, nowMs: clock.now, onAnswer, session, onSignedOut: followSession });

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
    refresh,
    checkSession: askWho,
  });

  onEvent(({ type, op }) => {
    // A refused vote shows the poll as it is by now; later votes may have been told before the answer to one's own.
    if (type === 'rejected' && op.type === 'vote') background(puller.pullPoll(op.entityId));
    if (type === 'applied') look([op.entityId]);
  });

  let hasAskedToPersist = false;
  /** From the first op on there is something that must not be lost. */
  function keepSafe(): void {
    capabilities.requestBackgroundDrain();
    if (hasAskedToPersist) return;
    hasAskedToPersist = true;
    background(storage.persist());
  }

  /** The server can be reached again: it hears of a log out, says who is signed in, and gets what waits. */
  async function refresh(): Promise<void> {
    await askWho();
    await sendWaiting();
  }

  /** Makes what waits due at once, except what the server itself has put off. */
  async function sendWaiting(): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    // The service worker, which knows no session, may have left some behind.
    await moveOps(current.db, 'blocked_auth', 'queued');
    await resetBackoff(current.db);
    drainer.drainAll();
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

  return {
    session,
    connection: connection.state,
    onEvent,
    async start() {
      const offset = await device.entries.get('clockOffsetMs');
      if (offset !== undefined) serverClock.set(offset.value);
      tabs.listen(() => background(askWho(followOtherTab)));
      await openLastUser(sessionContext);
      drainer.drainAll();
      await askWho();
      startUpdates();
    },
    async signedIn(user) {
      await enter(sessionContext, user);
      drainer.drainAll();
      background(askWho());
    },
    refreshUser: () => askWho(),
    finishLogOut: () => finishLogOut(sessionContext),
    logOut: (waiting) => logOut(sessionContext, waiting),
    async castVote(pollId, option) {
      const { db, userId } = signedIn();
      await withRoom(storage, db, () => queueVote(db, { userId, pollId, option }, clock.now()));
      keepSafe();
      drainer.drain('votes');
    },
    async createPoll(draft, replacesOpId) {
      const { db, userId } = signedIn();
      const bytes = draft.pictures.reduce((sum, picture) => sum + picture.bytes.byteLength, 0);
      const pollId = await withRoom(storage, db, async () => {
        if (!(await hasRoomFor(storage, bytes))) throw new StorageFullError();
        return queuePoll(db, userId, draft, clock.now(), { replacesOpId });
      });
      keepSafe();
      drainer.drain('creations');
      announceIfDelayed(db, pollId);
      return pollId;
    },
    discard: (opId) => discardOp(signedIn().db, capabilities.lock, opId),
    async tryAgain(opId) {
      await requeueOp(signedIn().db, opId);
      drainer.drainAll();
    },
    ...puller,
    ...updates,
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
