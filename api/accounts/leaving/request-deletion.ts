import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { checkAssertion } from '#api/accounts/passkeys/assertions.ts';
import { checkCurrentPassword } from '#api/accounts/passwords/current-password.ts';
import { lockUser } from '#api/accounts/queries.ts';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import { inDays } from '#api/db/timestamps.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { userChanged } from '#api/live/live-events.ts';
import { queueNotice } from '#api/mail/mail-queue.ts';
import { DELETION_DELAY_DAYS } from '#shared/accounts/constants.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { DeletionInput } from '#shared/accounts/schema.ts';

type DeletionRequest = DeletionInput & { sessionToken: string; caller: Caller };

/**
 * Schedules the deletion of the account in `DELETION_DELAY_DAYS` days and queues a mail about it. A repeated request keeps the
 * date, but can change whether the polls are kept or removed. Throws `protected_account`, `wrong_password`, `invalid_passkey`
 * or `rate_limited`.
 */
export async function requestDeletion(
  deps: Pick<Deps, 'db' | 'env' | 'limits' | 'live' | 'mails' | 'passwords'>,
  user: UserRow,
  request: DeletionRequest,
): Promise<UserRow> {
  if (isAdmin(user)) {
    throw new AppError('protected_account', { message: 'Accounts of administrators cannot be deleted.' });
  }
  const { password, passkey, polls, sessionToken, caller } = request;
  const usedPasskey =
    passkey && (await checkAssertion(deps, passkey, { purpose: 'confirm', userId: user.id, sessionToken }));
  const passwordHash = usedPasskey
    ? null
    : await checkCurrentPassword(deps, user.id, password, caller, 'password');
  const requested = await inTransaction(deps.db, async (tx) => {
    const locked = await lockUser(tx, user.id);
    if (locked === null) throw new AppError('unauthenticated');
    await usedPasskey?.recordUse(tx);
    if (passwordHash !== null && locked.passwordHash !== passwordHash) return null;
    await tx.orm
      .update(users)
      .set({
        deletionDueAt: sql`coalesce(${users.deletionDueAt}, ${inDays(DELETION_DELAY_DAYS)})`,
        deletionPolls: polls,
        rev: sql`${users.rev} + 1`,
      })
      .where(eq(users.id, user.id));
    if (locked.deletionDueAt === null) await queueNotice(tx, 'deletion', locked);
    return requireUserRow(tx, user.id);
  });
  // The password was changed, or rehashed by a login, after it was checked: check it again.
  if (requested === null) return requestDeletion(deps, user, request);
  deps.mails.wake();
  deps.live.publish(userChanged(user.id, requested));
  return requested;
}

/** Cancels a requested deletion of the account. Without one, nothing changes. */
export async function cancelDeletion({ orm }: Handle, userId: number): Promise<void> {
  await orm
    .update(users)
    .set({ deletionDueAt: null, deletionPolls: null, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, userId), isNotNull(users.deletionDueAt)));
}
