import { randomInt } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { recoveryCodes } from '#api/db/schema/passkeys.ts';
import type { Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { countAttempt, withAttempt } from '#api/http/limits/attempts.ts';
import { RECOVERY_CODE_COUNT } from '#shared/accounts/constants.ts';

/** Crockford's Base32, whose characters are hard to confuse. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const GROUP_LENGTH = 4;

type NewCodes = {
  /** The codes in the form shown to the user, such as `7KQ2-M4XP`. */
  codes: string[];
  /** Stores the new codes in place of all earlier ones of the user. */
  store(tx: Transaction): Promise<void>;
};

/** Creates ten codes for a user. The caller stores them in a transaction that has locked the user's row. */
export async function makeRecoveryCodes(
  { passwords }: Pick<Deps, 'passwords'>,
  userId: number,
  caller: Caller,
): Promise<NewCodes> {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODE_COUNT) codes.add(randomCode());
  const hashes = await passwords.hashCodes([...codes], caller);
  return {
    codes: [...codes].map((code) => `${code.slice(0, GROUP_LENGTH)}-${code.slice(GROUP_LENGTH)}`),
    async store(tx) {
      await removeRecoveryCodes(tx, userId);
      await tx.orm.insert(recoveryCodes).values(hashes.map((codeHash) => ({ userId, codeHash })));
    },
  };
}

function randomCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

export async function removeRecoveryCodes({ orm }: Handle, userId: number): Promise<void> {
  await orm.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/**
 * Finds the unused code of a user that matches the typed text. Returns a function that uses it up; of concurrent uses only one
 * succeeds. Both functions throw `invalid_recovery_code`, and this one `rate_limited` after many wrong codes.
 */
export async function findRecoveryCode(
  { db, limits, passwords }: Pick<Deps, 'db' | 'limits' | 'passwords'>,
  userId: number,
  typed: string,
  caller: Caller,
): Promise<(tx: Transaction) => Promise<void>> {
  // Counted as a failure before the check, so that concurrent attempts cannot exceed the limit.
  const attempt = await countAttempt([limits.recoveryCodesOfUser], userId);
  if (attempt.refusal !== null) throw attempt.refusal;
  const findTyped = async () => {
    // Any of the user's codes: all of them have the same salt.
    const [stored] = await db.orm
      .select({ codeHash: recoveryCodes.codeHash })
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId))
      .limit(1);
    if (stored === undefined) throw new AppError('invalid_recovery_code');
    const codeHash = await passwords.hashCodeLike(normaliseTypedCode(typed), stored.codeHash, caller);
    const isTyped = and(eq(recoveryCodes.codeHash, codeHash), eq(recoveryCodes.userId, userId));
    if ((await db.orm.$count(recoveryCodes, isTyped)) === 0) throw new AppError('invalid_recovery_code');
    return isTyped;
  };
  // Only a wrong code remains counted.
  const isTyped = await withAttempt(
    attempt,
    findTyped,
    (error) => toAppError(error).code !== 'invalid_recovery_code',
  );
  await attempt.undo();
  return async (tx) => {
    const used = await tx.orm.delete(recoveryCodes).where(isTyped);
    if (used.count === 0) throw new AppError('invalid_recovery_code');
  };
}

/** Removes separators, and corrects characters that people confuse when they copy a code by hand (O, I and L). */
function normaliseTypedCode(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
}
