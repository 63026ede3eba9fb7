import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { closeSession, closeSurplusSessions, openSession } from '#api/http/session/sessions.ts';
import { userPoints } from '#api/live/live-events.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { EMAIL_MAX_LENGTH } from '#shared/accounts/constants.ts';
import type { LoginInput } from '#shared/accounts/schema.ts';
import { LOGIN_POINTS, LOGIN_POINTS_PER_DAY_MAX } from '#shared/points/constants.ts';
import type { LoggedIn } from './logged-in.ts';
import { openTicket } from './passkeys/second-step.ts';
import { renewHash } from './passwords/renew-hash.ts';
import { type Account, accountSuspended, findAccount, foldCase, isUnchanged } from './queries.ts';

/** The delay of each attempt once a name has had too many wrong passwords. */
const SLOWDOWN_MS = 2_000;

type Browser = {
  caller: Caller;
  /** This browser's previous session, which ends with the login. */
  previousToken: string | null;
  /** The passkey that was used to log in. */
  passkeyId?: string;
};
type LoginAttempt = LoginInput &
  Browser & {
    /** Called when attempts at a name begin to be slowed down, at most once an hour. */
    onSlowdown(userId: number | undefined): void;
  };

/**
 * Logs a user in by username or email. Unknown names and wrong passwords get the same response in the same time. Only somebody
 * with the right password learns that an account is suspended, or that it has a second step: then `passkey_required` is thrown, with
 * a ticket.
 */
export async function logIn(deps: Deps, attempt: LoginAttempt): Promise<LoggedIn> {
  const { db, env, limits, live, passwords } = deps;
  const account = await findAccount(db, attempt.username);

  // Counted as failures beforehand, so that concurrent attempts do not all pass.
  const name = counterOf(account, attempt.username);
  const { client } = attempt.caller;
  const nameAndClientKey = `${name} ${client}`;
  await limits.loginFailuresOfNameAndClient.take(nameAndClientKey);
  if (!(await limits.loginFailuresOfName.tryTake(name))) {
    if (await limits.slowdownEventsOfName.tryTake(name)) attempt.onSlowdown(account?.id);
    await sleep(SLOWDOWN_MS);
  }
  const forgetFailure = async () => {
    await limits.loginFailuresOfNameAndClient.giveBack(nameAndClientKey);
    await limits.loginFailuresOfName.giveBack(name);
  };

  const hash = account?.passwordHash ?? null;
  const isRight = await passwords
    .verify(attempt.password, hash, attempt.caller)
    // Too busy, or the client hung up: the password was not checked.
    .catch(async (error: unknown) => {
      await forgetFailure();
      throw error;
    });
  if (account === null || !isRight) throw new AppError('invalid_credentials');
  await forgetFailure();
  if (account.isSuspended) throw accountSuspended();

  const loggedIn = await inTransaction(db, async (tx) => {
    if (!(await isUnchanged(tx, account))) return null;
    const current = await findUser(tx, account.id);
    const ticket = current && (await openTicket({ env }, tx, current));
    if (ticket !== null) return { ticket };
    const opened = await openLogin(tx, account.id, attempt);
    if (opened === null) throw new AppError('invalid_credentials');
    return opened;
  });
  // Changed, or hashed anew by another login at the same time: whether it still is the password is checked again.
  if (loggedIn === null) return logIn(deps, attempt);
  // Not awaited: it takes as long as the login.
  void renewHash(deps, account, attempt.password, attempt.caller);
  if ('ticket' in loggedIn) throw new AppError('passkey_required', { ticket: loggedIn.ticket });
  live.publish(userPoints(account.id, loggedIn.user));
  return loggedIn;
}

/** Opens the session of a login in place of the browser's previous one and, beyond the most, of the least used; credits the point. Null for a suspended user, or none. */
export async function openLogin(
  tx: Transaction,
  userId: number,
  { caller, previousToken, passkeyId }: Browser,
): Promise<LoggedIn | null> {
  if (previousToken !== null) await closeSession(tx, previousToken);
  const token = await openSession(tx, userId, caller, passkeyId);
  if (token === null) return null;
  await closeSurplusSessions(tx, userId);
  await creditLogin(tx, userId);
  const user = await findUser(tx, userId);
  return user && { user, token };
}

/**
 * What failures are counted by: the account, so that no other way to write its name has a counter of its own, or the text
 * without one. Username and email have two: with a common one, a 429 or the response time would reveal that they belong together.
 */
function counterOf(account: Account | null, typed: string): string {
  if (account === null) return `name ${foldCase(typed).slice(0, EMAIL_MAX_LENGTH)}`;
  return `${typed.includes('@') ? 'email' : 'username'} of ${account.id}`;
}

/** Ends this session, if there is one, with its sockets. */
export async function logOut(
  { db, live }: Deps,
  userId: number | undefined,
  sessionToken: string | null,
): Promise<void> {
  if (userId === undefined || sessionToken === null) return;
  await closeSession(db, sessionToken);
  live.publish({ type: 'sessions', userId });
}

/** Credits a point, unless the day's maximum is reached. Concurrent logins never use the same `source`. */
async function creditLogin(tx: Transaction, userId: number): Promise<void> {
  // The builder selects from tables only.
  const [{ day }] = await tx.sql<
    [{ day: string }]
  >`select to_char(now() at time zone 'utc', 'YYYY-MM-DD') as day`;
  for (let place = 1; place <= LOGIN_POINTS_PER_DAY_MAX; place++) {
    const source = `login:${day}:${place}`;
    const balance = await creditPoints(tx, { userId, delta: LOGIN_POINTS, reason: 'login', source });
    if (balance !== null) return;
  }
}
