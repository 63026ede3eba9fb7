import { and, eq, ne, or, sql } from 'drizzle-orm';
import { findDatabaseError } from '#api/db/database-error.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Limit, Limits } from '#api/http/limits/limits.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { userPoints } from '#api/live/live-events.ts';
import { voidTokens } from '#api/mail/email-tokens.ts';
import { queueVerification, unqueueMails, withMailDelay } from '#api/mail/mail-queue.ts';
import type { UpdateUserInput } from '#shared/accounts/schema.ts';
import { lockUser } from './queries.ts';

const UNIQUE_VIOLATION_CODE = '23505';

/**
 * Changes the user's name or email. A new email is unverified and gets a verification mail; every earlier link, sent or queued,
 * is void. Unchanged values have no effect. Throws `taken`, and `rate_limited` after many of those.
 */
export async function updateUser(
  { db, limits, live, mails }: Deps,
  current: UserRow,
  input: UpdateUserInput,
): Promise<UserRow> {
  const { username = current.username, email = current.email } = input;
  if (username === current.username && email === current.email) return current;

  const save = (delayS: number) => inTransaction(db, (tx) => saveUser(tx, current.id, input, delayS));
  const user = await countingRefusals(limits.takenNamesOfUser, current.id, () =>
    email === current.email ? save(0) : withMailLimits(limits, { id: current.id, email }, save),
  );
  mails.wake();
  live.publish(userPoints(user.id, user));
  return user;
}

async function saveUser(
  tx: Transaction,
  id: number,
  { username, email }: UpdateUserInput,
  delayS: number,
): Promise<UserRow> {
  const before = await lockUser(tx, id);
  if (before === null) throw new AppError('unauthenticated');
  // Omitted fields keep their present value, which another request may have changed.
  const isOther = or(
    username === undefined ? undefined : ne(users.username, username),
    email === undefined ? undefined : ne(users.email, email),
  );
  const isVerified = email === undefined ? undefined : sql`${users.isVerified} and ${users.email} = ${email}`;
  await tx.orm
    .update(users)
    .set({ username, email, isVerified, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, id), isOther))
    .catch((error: unknown) => {
      throw findDatabaseError(error).code === UNIQUE_VIOLATION_CODE
        ? new AppError('taken', { cause: error })
        : error;
    });
  if (email !== undefined && email !== before.email) {
    await voidTokens(tx, id);
    await unqueueMails(tx, before);
    await queueVerification(tx, id, delayS);
  }
  return requireUserRow(tx, id);
}

/** Limits refusals, as registration does: each reveals that a name or email is taken. */
async function countingRefusals<Result>(
  limit: Limit,
  userId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  await limit.take(userId);
  try {
    const result = await work();
    await limit.giveBack(userId);
    return result;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'taken')) await limit.giveBack(userId);
    throw error;
  }
}

/** Makes the change at once; its mail waits for both limits. */
function withMailLimits<Result>(
  { verificationsOfUser, verificationsOfAddress }: Limits,
  { id, email }: { id: number; email: string },
  work: (delayS: number) => Promise<Result>,
): Promise<Result> {
  return withMailDelay(verificationsOfUser, id, (delayOfUserS) =>
    withMailDelay(verificationsOfAddress, email, (delayOfAddressS) =>
      work(Math.max(delayOfUserS, delayOfAddressS)),
    ),
  );
}
