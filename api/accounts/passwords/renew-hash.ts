import { and, eq } from 'drizzle-orm';
import type { Account } from '#api/accounts/queries.ts';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';

/**
 * Rehashes a password that was just verified, if its hash has an outdated cost. Replaces only the hash that was verified, so a
 * concurrent change of the password is not overwritten. Never rejects: after a failure the next login tries again.
 */
export async function renewHash(
  { db, log, passwords }: Pick<Deps, 'db' | 'log' | 'passwords'>,
  { id, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
  password: string,
  { client }: Caller,
): Promise<void> {
  if (!passwords.isOutdated(passwordHash)) return;
  try {
    // The request's abort signal is not passed on: the response is sent before the hash is ready.
    const renewed = await passwords.hash(password, { client });
    await db.orm
      .update(users)
      .set({ passwordHash: renewed })
      .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash)));
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') return;
    log.warn({ err: error, userId: id }, 'The hash of a password could not be renewed');
  }
}
