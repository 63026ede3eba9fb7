import { v4 as uuidv4 } from 'uuid';
import { createConnectionMonitor, watchedTransport } from './connection-monitor.ts';
import { openDeviceDb, type UserDb } from './db.ts';
import { createDrainer } from './drainer.ts';
import { observable } from './observable.ts';
import { discardOp, queuePoll, queueVote, requeueOp, resetBackoff } from './outbox.ts';
import { type PullContext, pullFeed, pullMine, pullMoreFeed, pullPoll, pullTrending } from './pull.ts';
import { createServerClock } from './server-clock.ts';
import {
  checkUser,
  endSession,
  followOtherTab,
  logOut,
  openLastUser,
  openUser,
  type SessionContext,
} from './session.ts';
import { hasRoomFor, StorageFullError, withRoom } from './storage.ts';
import type { Capabilities, Engine, EngineEvent, PullResult, Session, TransportAnswer } from './types.ts';

/** An op that has no answer by then is said to be saved on this device. */
const DELAYED_AFTER_MS = 1_000;

/** A change of the server clock's offset that is worth remembering for the next start. */
const CLOCK_DRIFT_STORED_MS = 2_000;

/** No user's database is open. */
export class SignedOutError extends Error {
  override name = 'SignedOutError';
}

/** The sync engine of one tab. */
export function createEngine(capabilities: Capabilities): Engine {
  const { clock, databasePrefix, storage, tabs } = capabilities;
  const device = openDeviceDb(databasePrefix);
  const session = observable<Session>({ status: 'loading' });
  const listeners = new Set<(event: EngineEvent) => void>();
  const serverClock = createServerClock(clock);
  const pulls = new Map<string, Promise<PullResult>>();

  const announced = new Set<string>();

  const emit = (event: EngineEvent) => {
    if (event.type === 'delayed') {
      if (announced.has(event.op.opId)) return;
      announced.add(event.op.opId);
    }
    for (const listener of listeners) listener(event);
    // A refused vote shows the poll as it is by now.
    if (event.type === 'rejected' && event.op.type === 'vote') void api.pullPoll(event.op.entityId);
  };
  const onAnswer = (answer: TransportAnswer | null) => {
    if (answer === null || answer.body === null) return;
    const driftMs = serverClock.learn(answer.headers);
    if (driftMs > CLOCK_DRIFT_STORED_MS) {
      void device.entries.put({ key: 'clockOffsetMs', value: serverClock.offsetMs() });
    }
  };
  const connection = createConnectionMonitor(capabilities, () => drainSoon());
  const transport = watchedTransport(capabilities.transport, connection);
  const sessionContext: SessionContext = { transport, device, session, tabs, databasePrefix, onAnswer };

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
    await checkUser(sessionContext);
    drainer.drainAll();
  }

  const drainer = createDrainer({
    ...capabilities,
    transport,
    owner: uuidv4(),
    session,
    emit,
    onAnswer,
    onBlocked: (userId) => void followSession(userId),
  });

  let hasAskedToPersist = false;

  /** From the first op on there is something that must not be lost. */
  function keepSafe(): void {
    capabilities.requestBackgroundDrain();
    if (hasAskedToPersist) return;
    hasAskedToPersist = true;
    void storage.persist();
  }

  /** Makes everything that waits due at once. */
  function drainSoon(): void {
    const current = session.get();
    if (current.status !== 'user') return;
    void resetBackoff(current.db).then(drainer.drainAll);
  }

  /** Announces an op that is still waiting after a moment. */
  function announceIfDelayed(db: UserDb, entityId: string): void {
    clock.setTimeout(() => {
      void db.ops
        .where('entityId')
        .equals(entityId)
        .and((op) => op.state === 'queued' || op.state === 'sending')
        .each((op) => emit({ type: 'delayed', op }));
    }, DELAYED_AFTER_MS);
  }

  /** Runs a pull unless the same one is under way: then both callers get its result. */
  function pullOnce(name: string, run: (context: PullContext) => Promise<PullResult>): Promise<PullResult> {
    const { db, userId } = signedIn();
    const key = `${userId}:${name}`;
    const running = pulls.get(key);
    if (running !== undefined) return running;
    const started = run({ transport, db, userId, nowMs: clock.now, onAnswer })
      .then(async (result) => {
        if (result === 'signed_out') await followSession(userId);
        return result;
      })
      .finally(() => pulls.delete(key));
    pulls.set(key, started);
    return started;
  }

  const api: Engine = {
    session,
    connection: connection.state,
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      const offset = await device.entries.get('clockOffsetMs');
      if (offset !== undefined) serverClock.set(offset.value);
      tabs.listen(() => void followOtherTab(sessionContext).then(drainer.drainAll));
      await openLastUser(sessionContext);
      drainer.drainAll();
      await checkUser(sessionContext);
      drainer.drainAll();
    },
    async signedIn(user) {
      await openUser(sessionContext, user);
      drainer.drainAll();
    },
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
      if (!(await hasRoomFor(storage, bytes))) throw new StorageFullError();
      const pollId = await withRoom(storage, db, () =>
        queuePoll(db, userId, draft, clock.now(), { replacesOpId }),
      );
      keepSafe();
      drainer.drain('creations');
      announceIfDelayed(db, pollId);
      return pollId;
    },
    discard: (opId) => discardOp(signedIn().db, opId),
    async tryAgain(opId) {
      await requeueOp(signedIn().db, opId);
      drainer.drainAll();
    },
    pullFeed: () => pullOnce('feed', pullFeed),
    pullMoreFeed: () => pullOnce('more', pullMoreFeed),
    pullTrending: () => pullOnce('trending', pullTrending),
    pullMine: () => pullOnce('mine', pullMine),
    pullPoll: (pollId) => pullOnce(`poll:${pollId}`, (context) => pullPoll(context, pollId)),
    serverNow: serverClock.now,
    drain: drainSoon,
    suspectTrouble: () => connection.tell('trouble'),
    tryConnection() {
      connection.tell('signal');
      drainSoon();
    },
  };
  return api;
}
