import type { Option } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import type { SmallOpInput } from '#sync/operations/registry.ts';

/** Returns a vote as the app passes it to the engine. */
export function newVote(pollId: string, option: Option): SmallOpInput {
  return { type: 'vote', payload: { pollId, option } };
}

/** Queues a vote as a tap on an option does. */
export function queueVote(
  db: UserDb,
  { userId, pollId, option }: { userId: number; pollId: string; option: Option },
  nowMs: number,
  isCancelled?: () => boolean,
): Promise<void> {
  return queueOp(db, userId, newVote(pollId, option), nowMs, isCancelled);
}
