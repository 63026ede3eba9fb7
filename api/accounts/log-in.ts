import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { closeSession, openSession } from '#api/http/session/sessions.ts';
import { userPoints } from '#api/live/live-events.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { EMAIL_MAX_LENGTH } from '#shared/accounts/constants.ts';
import type { LoginInput } from '#shared/accounts/schema.ts';
import { LOGIN_POINTS, LOGIN_POINTS_PER_DAY_MAX } from '#shared/points/constants.ts';
import { findAccount, isUnchanged } from './queries.ts';
import type { SignedIn } from './register.ts';

/** The delay of each attempt once a name has had too many wrong passwords. */
const SLOWDOWN_MS = 2_000;

type LoginAttempt = LoginInput & {
  /** The client's address, for the limits. */
  client: string;
  /** This browser's previous session, which ends with the login. */
  previousToken: string | null;
};

/**
 * Logs a user in by username or email. Unknown names and wrong passwords get the same answer in the same time. Only somebody
 * with the right password learns that an account is suspended.
 */
export async function logIn({ db, limits, live, passwords }: Deps, attempt: LoginAttempt): Promise<SignedIn> {
  const account = await findAccount(db, attempt.username);

  // Counted as failures beforehand, so that concurrent attempts do not all pass.
  // Counted by the typed text: with a common counter for username and email, a 429 or the response time would reveal that
  // they belong to the same account.
  const name = attempt.username.toLowerCase().slice(0, EMAIL_MAX_LENGTH);
  const nameAndClientKey = `${name} ${attempt.client}`;
  await limits.loginFailuresOfNameAndClient.take(nameAndClientKey);
  if (!(await limits.loginFailuresOfName.tryTake(name))) await sleep(SLOWDOWN_MS);

  const isRight = await passwords.verify(attempt.password, account?.passwordHash ?? null);
  if (account === null || !isRight) throw new AppError('invalid_credentials');
  await limits.loginFailuresOfNameAndClient.giveBack(nameAndClientKey);
  await limits.loginFailuresOfName.giveBack(name);
  if (account.isSuspended) throw new AppError('suspended');

  const signedIn = await inTransaction(db, async (tx) => {
    if (!(await isUnchanged(tx, account))) throw new AppError('invalid_credentials');
    if (attempt.previousToken !== null) await closeSession(tx, attempt.previousToken);
    const token = await openSession(tx, account.id);
    if (token === null) throw new AppError('invalid_credentials');
    await creditLogin(tx, account.id);
    const user = await findUser(tx, account.id);
    if (user === null) throw new AppError('invalid_credentials');
    return { user, token };
  });
  live.publish(userPoints(account.id, signedIn.user));
  return signedIn;
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
