import type { Deps } from '#api/deps.ts';
import { type Attempt, countAttempt } from '#api/http/limits/attempts.ts';
import { findReceiptEntity } from '#api/http/receipts.ts';
import { readIdState } from '#api/polls/queries.ts';

type Admission = {
  attempt: Attempt;
  /**
   * To be called with the form's poll id before its images are read. Throws `rate_limited` when the limits are exceeded and the
   * form cannot be a repetition.
   */
  admit(pollId: string | null): Promise<void>;
};

/**
 * Counts a new poll before its upload is read. Beyond the limits only repetitions pass: the id of a poll that the user has
 * created, or a key with a receipt. Whether an upload really belongs to its key is known only after reading all of it, so
 * uploads that pass only because of their key have a separate limit (`reusedKeys`).
 */
export async function admitCreation(
  { db, limits }: Deps,
  { userId, key }: { userId: number; key: string | null },
): Promise<Admission> {
  const attempt = await countAttempt([limits.creationsAMinute, limits.creationsAnHour], userId);
  const { refusal } = attempt;
  if (refusal === null) return { attempt, admit: async () => {} };

  let keyReuse: Attempt | null = null;
  return {
    attempt: { refusal, undo: async () => keyReuse?.undo() },
    admit: async (pollId) => {
      const receipt = key === null ? null : await findReceiptEntity(db, userId, key);
      const isKeyOfAnotherPoll = receipt !== null && receipt.entityId !== pollId;
      if (pollId !== null && !isKeyOfAnotherPoll && (await readIdState(db, userId, pollId)) === 'made')
        return;
      if (receipt === null) throw refusal;
      keyReuse = await countAttempt([limits.reusedKeys], userId);
      if (keyReuse.refusal !== null) throw keyReuse.refusal;
    },
  };
}
