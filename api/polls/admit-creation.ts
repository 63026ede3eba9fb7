import type { Deps } from '#api/deps.ts';
import { type Attempt, countAttempt } from '#api/http/limits/attempts.ts';
import { findReceiptEntity } from '#api/http/receipts.ts';
import { readIdState } from './queries.ts';

export type Admission = {
  attempt: Attempt;
  /**
   * Whether the images of a form with this poll id may be read. Throws `rate_limited` when the limits are used up
   * and the form cannot be a repetition.
   */
  admit(pollId: string | null): Promise<void>;
};

/**
 * Counts a creation, before anything of its upload is read. When the limits are used up only a repetition passes, and
 * what tells one costs little: the id of a poll that the user has made, or a key that has a receipt. Whether the upload
 * is really what that key stands for shows only when all of it was read; so those that are not are limited themselves.
 */
export async function admitCreation(
  { db, limits }: Pick<Deps, 'db' | 'limits'>,
  { userId, key }: { userId: number; key: string | null },
): Promise<Admission> {
  const attempt = await countAttempt([limits.creationsAMinute, limits.creationsAnHour], userId);
  const { refusal } = attempt;
  if (refusal === null) return { attempt, admit: async () => {} };

  let unproven: Attempt | null = null;
  return {
    attempt: { refusal, giveBack: async () => unproven?.giveBack() },
    admit: async (pollId) => {
      const receipt = key === null ? null : await findReceiptEntity(db, userId, key);
      const isOfKey = receipt === null || receipt.entityId === pollId;
      if (pollId !== null && isOfKey && (await readIdState(db, userId, pollId)) === 'made') return;
      if (receipt === null) throw refusal;
      unproven = await countAttempt([limits.reusedKeys], userId);
      if (unproven.refusal !== null) throw unproven.refusal;
    },
  };
}
