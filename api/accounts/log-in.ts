import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { countAttempt } from '#api/http/limits/attempts.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { closeSession, closeSurplusSessions, openSession } from '#api/http/session/sessions.ts';
import { userChanged } from '#api/live/live-events.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { EMAIL_MAX_LENGTH } from '#shared/accounts/constants.ts';
import type { LoginInput } from '#shared/accounts/schema.ts';
import { LOGIN_POINTS, LOGIN_POINTS_PER_DAY_MAX } from '#shared/points/constants.ts';
import type { Browser, LoginResult } from './login-result.ts';
import { openTicket } from './passkeys/second-step.ts';
import { renewHash } from './passwords/renew-hash.ts';
import { type Account, accountSuspended, findAccount, foldCase, lockIfPasswordUnchanged } from './queries.ts';

/** Delay of each further attempt, even with the right password, at a name that has had too many wrong passwords. */
const SLOWDOWN_MS = 2_000;

type LoginAttempt = LoginInput &
  Browser & {
    /** Called when attempts at a name start to be delayed, at most once an hour. */
    onSlowdown(userId: number | undefined): void;
  };

/**
 * Logs a user in by username or email. To prevent account enumeration, unknown names and wrong passwords get the same response
 * (`invalid_credentials`, and `rate_limited` after many of them) in the same time. Only the right password reveals that an
 * account is suspended (`suspended`) or has a second step (`passkey_required`, with a ticket).
 */
export async function logIn(deps: Deps, attempt: LoginAttempt): Promise<LoginResult> {
  const { db, env, limits, live, passwords } = deps;
  const account = await findAccount(db, attempt.username);

  // Counted as a failure before the check, so that concurrent attempts cannot exceed the limit.
  const nameKey = failureKeyOf(account, attempt.username);
  const { client } = attempt.caller;
  const failure = await countAttempt([limits.loginFailuresOfNameAndClient], `${nameKey} ${client}`);
  if (failure.refusal !== null) throw failure.refusal;
  const failureOfName = await limits.loginFailuresOfName.count(nameKey);
  if (failureOfName.delayS > 0) {
    if (await limits.slowdownEventsOfName.tryTake(nameKey)) attempt.onSlowdown(account?.id);
    await sleep(SLOWDOWN_MS);
  }
  const uncountFailure = async () => {
    await failure.undo();
    await failureOfName.undo();
  };

  const hash = account?.passwordHash ?? null;
  const isRight = await passwords
    .verify(attempt.password, hash, attempt.caller)
    // The password pool was too busy, or the client disconnected: the password was not checked.
    .catch(async (error: unknown) => {
      await uncountFailure();
      throw error;
    });
  if (account === null || !isRight) throw new AppError('invalid_credentials');
  await uncountFailure();
  if (account.isSuspended) throw accountSuspended();

  const result = await inTransaction(db, async (tx) => {
    if (!(await lockIfPasswordUnchanged(tx, account))) return null;
    const current = await findUser(tx, account.id);
    const ticket = current && (await openTicket(env, tx, current));
    if (ticket !== null) return { ticket };
    const opened = await openLogin(tx, account.id, attempt);
    // The user exists, as `lockIfPasswordUnchanged` has locked the row, and so was suspended after `findAccount`.
    if (opened === null) throw accountSuspended();
    return opened;
  });
  // The password was changed, or rehashed by a concurrent login, after it was checked: check it again.
  if (result === null) return logIn(deps, attempt);
  // Not awaited, because a rehash takes as long as the login.
  void renewHash(deps, account, attempt.password, attempt.caller);
  if ('ticket' in result) throw new AppError('passkey_required', { ticket: result.ticket });
  live.publish(userChanged(account.id, result.user));
  return result;
}

/**
 * Opens the session of a login and credits the login's point. Ends the browser's previous session and, beyond `SESSIONS_MAX`,
 * the least recently used ones. Null if the user is suspended or does not exist.
 */
export async function openLogin(
  tx: Transaction,
  userId: number,
  { caller, previousToken, passkeyId }: Browser,
): Promise<LoginResult | null> {
  if (previousToken !== null) await closeSession(tx, previousToken);
  const token = await openSession(tx, userId, caller, passkeyId);
  if (token === null) return null;
  await closeSurplusSessions(tx, userId);
  await creditLogin(tx, userId);
  const user = await findUser(tx, userId);
  return user && { user, token };
}

/**
 * The key by which failures are counted: the account, so that all spellings of its name share a counter. If no account matches,
 * it is the typed text, cut to the greatest length of a name. Username and email are counted separately: with one counter, a 429
 * or the response time would reveal that they belong to the same account.
 */
function failureKeyOf(account: Account | null, typed: string): string {
  if (account === null) return `name ${foldCase(typed).slice(0, EMAIL_MAX_LENGTH)}`;
  return `${typed.includes('@') ? 'email' : 'username'} of ${account.id}`;
}

/** Ends the session, if there is one, and closes its sockets. */
export async function logOut(
  { db, live }: Deps,
  userId: number | undefined,
  sessionToken: string | null,
): Promise<void> {
  if (userId === undefined || sessionToken === null) return;
  await closeSession(db, sessionToken);
  live.publish({ type: 'sessions', userId });
}

/** Credits a point, unless the day's maximum is reached. The unique `source` prevents concurrent logins from exceeding it. */
async function creditLogin(tx: Transaction, userId: number): Promise<void> {
  // Tagged SQL: Drizzle's builder cannot select without a table.
  const [{ day }] = await tx.sql<
    [{ day: string }]
  >`select to_char(now() at time zone 'utc', 'YYYY-MM-DD') as day`;
  for (let nth = 1; nth <= LOGIN_POINTS_PER_DAY_MAX; nth++) {
    const source = `login:${day}:${nth}`;
    const balance = await creditPoints(tx, { userId, delta: LOGIN_POINTS, reason: 'login', source });
    if (balance !== null) return;
  }
}
