import { and, eq, ne, sql } from 'drizzle-orm';
import { isUniqueViolation } from '#api/db/database-error.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { countAttempt, countingSuccesses, withAttempt } from '#api/http/limits/attempts.ts';
import type { Limit, Limits } from '#api/http/limits/limits.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { userChanged } from '#api/live/live-events.ts';
import { queueNotice, withMailDelay } from '#api/mail/mail-queue.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { UpdateUserInput } from '#shared/accounts/schema.ts';
import { isReservedUsername } from '#shared/accounts/username-rules.ts';
import { type MailDelays, requestEmail, withLinkDelay } from './email-changes.ts';
import { checkCurrentPassword, wrongPassword } from './passwords/current-password.ts';
import { foldCase, lockUser } from './queries.ts';
import { usernameReserved } from './register.ts';
import { switchWeeklyMail } from './weekly-mail.ts';

const NO_DELAYS: MailDelays = { linkDelayS: 0, noticeDelayS: 0 };

/**
 * Changes the username (with a mail to a verified address, unless only the letter case changes), switches the weekly mail on or
 * off, or requests a new email. A new email needs the current password and takes effect when its link is opened; requesting the
 * current email withdraws such a request. Unchanged values have no effect. Throws `taken` and `wrong_password`, and
 * `rate_limited` after many such errors or changes.
 */
export async function updateUser(
  deps: Deps,
  current: UserRow,
  { currentPassword, ...input }: UpdateUserInput,
  caller: Caller,
): Promise<UserRow> {
  const { limits, live, mails } = deps;
  const { username = current.username, email = current.email } = input;
  const isEmailRequested = email !== current.email;
  const isRequestWithdrawn = input.email !== undefined && !isEmailRequested && current.pendingEmail !== null;
  const isWeeklyMailSwitched = input.weeklyMail !== undefined && input.weeklyMail !== current.wantsDigest;
  if (username === current.username && !isEmailRequested && !isRequestWithdrawn && !isWeeklyMailSwitched)
    return current;

  const isRenamed = foldCase(username) !== foldCase(current.username);
  if (isRenamed && isReservedUsername(username) && !isAdmin(current)) throw usernameReserved();

  const passwordHash = isEmailRequested
    ? await checkCurrentPassword(deps, current.id, currentPassword, caller)
    : null;
  const save = (delays: MailDelays) =>
    inTransaction(deps.db, (tx) => saveUser(tx, current.id, input, { passwordHash, delays }));
  const saveWithinLimits = async () => {
    if (passwordHash !== null) {
      await limits.emailChangesOfUser.take(current.id);
      return withMailDelays(limits, current, email, save);
    }
    if (!isRequestWithdrawn || current.isVerified) return save(NO_DELAYS);
    // The withdrawal sends another link to the unverified email.
    return withLinkDelay(limits, current.id, email, (linkDelayS) => save({ ...NO_DELAYS, linkDelayS }));
  };
  const user = await countingTakenErrors(limits.takenNamesOfUser, current.id, () =>
    isRenamed ? countingSuccesses(limits.renamesOfUser, current.id, saveWithinLimits) : saveWithinLimits(),
  ).catch((error: unknown) => {
    if (passwordHash !== null && error instanceof AppError && error.code === 'wrong_password') return null;
    throw error;
  });
  // The password was changed, or rehashed by a login, after it was checked: check it again.
  if (user === null) return updateUser(deps, current, { currentPassword, ...input }, caller);
  mails.wake();
  live.publish(userChanged(user.id, user));
  return user;
}

async function saveUser(
  tx: Transaction,
  id: number,
  { username, email, weeklyMail }: UpdateUserInput,
  { passwordHash, delays }: { passwordHash: string | null; delays: MailDelays },
): Promise<UserRow> {
  const before = await lockUser(tx, id);
  if (before === null) throw new AppError('unauthenticated');
  if (username !== undefined) {
    await tx.orm
      .update(users)
      .set({ username, rev: sql`${users.rev} + 1` })
      .where(and(eq(users.id, id), ne(users.username, username)))
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new AppError('taken', { cause: error }) : error;
      });
    const isRenamed = foldCase(username) !== foldCase(before.username);
    if (isRenamed && before.isVerified) await queueNotice(tx, 'username-changed', before);
  }
  if (weeklyMail !== undefined) await switchWeeklyMail(tx, { userId: id, isOn: weeklyMail });
  if (email !== undefined) {
    // Without a password only the current email is allowed, to withdraw a request. A concurrent request may have changed it.
    const isChecked = passwordHash === null ? email === before.email : passwordHash === before.passwordHash;
    if (!isChecked) throw wrongPassword();
    await requestEmail(tx, before, email, delays);
  }
  return requireUserRow(tx, id);
}

/** Runs `work` within a limit of `taken` errors, which reveal that a username or email exists (account enumeration). */
async function countingTakenErrors<Result>(
  limit: Limit,
  userId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const attempt = await countAttempt([limit], userId);
  if (attempt.refusal !== null) throw attempt.refusal;
  const isOtherError = (error: unknown) => !(error instanceof AppError && error.code === 'taken');
  const result = await withAttempt(attempt, work, isOtherError);
  await attempt.undo();
  return result;
}

/**
 * Runs `work` at once, with the delays of its mails by their limits: for the mail to the new address those of user and address,
 * for the notice to an unverified address its own. Notices to verified addresses are not delayed.
 */
function withMailDelays<Result>(
  limits: Limits,
  { id, email, isVerified }: UserRow,
  newEmail: string,
  work: (delays: MailDelays) => Promise<Result>,
): Promise<Result> {
  return withLinkDelay(limits, id, newEmail, (linkDelayS) =>
    isVerified
      ? work({ linkDelayS, noticeDelayS: 0 })
      : withMailDelay(limits.changeNoticesOfUnverified, email, (noticeDelayS) =>
          work({ linkDelayS, noticeDelayS }),
        ),
  );
}
