import { hasSpaceFor, StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import type { Drainer } from '#sync/client/drain/drainer.ts';
import type { Observable } from '#sync/client/observable.ts';
import { discardOp } from '#sync/client/outbox/discard.ts';
import { makeDue, queueOp, queuePoll, requeueOp } from '#sync/client/outbox/outbox.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { operationOfType, type SmallOpInput } from '#sync/operations/registry.ts';
import type { Capabilities } from './capabilities.ts';
import type { DeviceDb, UserDb } from './db.ts';
import type { Emitter } from './emitter.ts';
import { LoggedOutError } from './engine-errors.ts';
import { runInBackground } from './run-in-background.ts';
import { withDatabaseTimeout } from './timeout.ts';

/** A new poll that is still in the queue after this time is reported as `delayed`. */
const DELAYED_AFTER_MS = 1_000;

/** The functions that make, discard and retry changes. Each change is stored on this device before it is sent. */
export type Changes = {
  /** Queues a small op; resolves once it is stored on this device. */
  queue(input: SmallOpInput): Promise<void>;
  /**
   * Queues a poll with its images; resolves with the poll's id once it is stored on this device. Removes the refused op
   * `replacesOpId` in the same transaction.
   */
  createPoll(draft: PollDraft, replacesOpId?: string): Promise<string>;
  /** Removes a refused or waiting op and its images. Resolves with false, and removes nothing, while the op is being sent. */
  discard(opId: string): Promise<boolean>;
  /** Queues a refused op again under a new id. */
  tryAgain(opId: string): Promise<void>;
  /** Sends a waiting op now, regardless of its retry delay. */
  tryNow(opId: string): Promise<void>;
};

type ChangesContext = Pick<Capabilities, 'clock' | 'lock' | 'storage' | 'requestBackgroundDrain'> & {
  device: DeviceDb;
  session: Observable<Session>;
  drainer: Drainer;
  emit: Emitter['emit'];
};

/** Creates the `Changes` of a tab. Its functions throw `LoggedOutError` while nobody is logged in. */
export function createChanges(context: ChangesContext): Changes {
  const { clock, storage, device, session, drainer, emit } = context;
  let hasRequestedPersistence = false;

  function currentUser(): { db: UserDb; userId: number } {
    const current = session.get();
    if (current.status !== 'user') throw new LoggedOutError();
    return { db: current.db, userId: current.user.id };
  }

  /**
   * Runs `work`, which stores a change, with a timeout. After a failure or timeout, `isCancelled` returns true, so that `work`
   * does not store the change later.
   */
  async function store<Result>(
    db: UserDb,
    work: (isCancelled: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    let isCancelled = false;
    try {
      const storing = withFreedSpace(storage, db, () => work(() => isCancelled));
      return await withDatabaseTimeout(clock, storing);
    } catch (error) {
      isCancelled = true;
      throw error;
    }
  }

  /** Called after an op was queued: requests a background drain and, the first time, persistent storage. */
  function requestDurability(): void {
    context.requestBackgroundDrain();
    if (hasRequestedPersistence) return;
    hasRequestedPersistence = true;
    runInBackground(storage.persist());
  }

  /** Emits `delayed` for a new poll that still waits after `DELAYED_AFTER_MS`, unless it waits for a login. */
  function announceIfDelayed(db: UserDb, pollId: string): void {
    clock.setTimeout(() => {
      const current = session.get();
      if (current.status === 'user' && current.needsLogin) return;
      runInBackground(
        db.ops
          .where('entityId')
          .equals(pollId)
          .and((op) => op.state === 'queued' || op.state === 'sending')
          .each((op) => emit({ type: 'delayed', op })),
      );
    }, DELAYED_AFTER_MS);
  }

  return {
    async queue(input) {
      const { db, userId } = currentUser();
      const { lane, visibilityChange } = operationOfType(input.type);
      await store(db, (isCancelled) => queueOp(db, userId, input, clock.now(), isCancelled));
      // The snapshot may show a poll that this op hides.
      if (visibilityChange !== null) runInBackground(device.entries.delete('homeSnapshot'));
      requestDurability();
      drainer.drain(lane);
    },
    async createPoll(draft, replacesOpId) {
      const { db, userId } = currentUser();
      const bytes = draft.images.reduce((sum, image) => sum + image.bytes.byteLength, 0);
      const pollId = await store(db, async (isCancelled) => {
        // `store` then frees space and tries again.
        if (!(await hasSpaceFor(storage, bytes))) throw new StorageFullError();
        return queuePoll(db, userId, draft, clock.now(), { replacesOpId, isCancelled });
      });
      requestDurability();
      drainer.drain('creations');
      announceIfDelayed(db, pollId);
      return pollId;
    },
    discard: async (opId) => withDatabaseTimeout(clock, discardOp(context, currentUser().db, opId)),
    async tryAgain(opId) {
      const { db } = currentUser();
      const queueing = withFreedSpace(storage, db, () => requeueOp(db, opId));
      await withDatabaseTimeout(clock, queueing);
      drainer.drainAll();
    },
    async tryNow(opId) {
      await withDatabaseTimeout(clock, makeDue(currentUser().db, opId));
      drainer.resetLaneBackoff();
      drainer.drainAll();
    },
  };
}
