import { openLogin } from '#api/accounts/log-in.ts';
import type { Browser, LoginResult } from '#api/accounts/login-result.ts';
import { accountSuspended, type LockedUser, lockUser } from '#api/accounts/queries.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { userChanged } from '#api/live/live-events.ts';
import { queueNotice } from '#api/mail/mail-queue.ts';
import type { Assertion, FinishSecondStepInput, RequestOptions } from '#shared/accounts/passkeys/schema.ts';
import { checkAssertion, requestPasskey } from './assertions.ts';
import { consumeChallenge, findTicket } from './challenges.ts';
import { recordConfirmation } from './confirm-identity.ts';
import { findRecoveryCode } from './recovery-codes.ts';

/** Logs a user in with only a passkey, which counts as two factors. Throws `invalid_passkey` or `suspended`. */
export async function logInWithPasskey(
  deps: Deps,
  passkey: Assertion,
  browser: Browser,
): Promise<LoginResult> {
  const { id, userId, recordUse } = await checkAssertion(deps, passkey, { purpose: 'login' });
  return completeLogin(deps, userId, { ...browser, passkeyId: id }, recordUse);
}

/** Returns the options for the passkey of a second step, for the user of a ticket. Throws `invalid_token`. */
export async function startSecondStep(deps: Deps, ticket: string): Promise<RequestOptions> {
  return requestPasskey(deps, { purpose: 'second-step', userId: await requireTicket(deps, ticket) });
}

type SecondStepLogin = LoginResult & { isRecoveryCodeUsed: boolean };

/**
 * Finishes the login of a ticket's user with a passkey or a recovery code. If that is wrong, the ticket remains valid. Of
 * concurrent uses of a ticket only one succeeds. Throws `invalid_token`, `invalid_passkey`, `invalid_recovery_code`,
 * `rate_limited` or `suspended`.
 */
export async function finishSecondStep(
  deps: Deps,
  userId: number,
  { ticket, passkey, recoveryCode }: FinishSecondStepInput,
  browser: Browser,
): Promise<SecondStepLogin> {
  const consumeTicket = async (tx: Transaction) => {
    if (!(await consumeChallenge(tx, ticket, { purpose: 'ticket', userId }))) throw ticketExpired();
  };
  if (passkey !== undefined) {
    const { id, recordUse } = await checkAssertion(deps, passkey, { purpose: 'second-step', userId });
    const loggedIn = await completeLogin(deps, userId, { ...browser, passkeyId: id }, async (tx) => {
      await consumeTicket(tx);
      await recordUse(tx);
    });
    return { ...loggedIn, isRecoveryCodeUsed: false };
  }
  const consumeCode = await findRecoveryCode(deps, userId, recoveryCode ?? '', browser.caller);
  // Beyond this limit only the mail is skipped: refusing the login would let attackers lock the user out.
  const mayNotify = await deps.limits.credentialChangesOfUser.tryTake(userId);
  const loggedIn = await completeLogin(deps, userId, browser, async (tx, user) => {
    await consumeTicket(tx);
    await consumeCode(tx);
    if (mayNotify && !user.isSuspended) await queueNotice(tx, 'recovery-code-used', user);
  });
  deps.mails.wake();
  return { ...loggedIn, isRecoveryCodeUsed: true };
}

/** Returns the id of a ticket's user. Throws `invalid_token` if the ticket is used up or has expired. */
export async function requireTicket({ db }: Pick<Deps, 'db'>, ticket: string): Promise<number> {
  const userId = await findTicket(db, ticket);
  if (userId === null) throw ticketExpired();
  return userId;
}

function ticketExpired(): AppError {
  return new AppError('invalid_token', { message: 'That took too long. Please log in again.' });
}

/**
 * Opens and confirms the session of a login with a passkey or recovery code, in one transaction with `useUpProof`, which throws if
 * the ticket, passkey or code is no longer valid. The proof of a suspended user is used up, too.
 */
async function completeLogin(
  { db, live }: Deps,
  userId: number,
  browser: Browser,
  useUpProof: (tx: Transaction, user: LockedUser) => Promise<void>,
): Promise<LoginResult> {
  const loggedIn = await inTransaction(db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) throw new AppError('invalid_passkey');
    await useUpProof(tx, user);
    if (user.isSuspended) return null;
    const opened = await openLogin(tx, userId, browser);
    if (opened === null) return null;
    await recordConfirmation(tx, { userId, sessionToken: opened.token }, 'passkey');
    return opened;
  });
  if (loggedIn === null) throw accountSuspended();
  live.publish(userChanged(userId, loggedIn.user));
  return loggedIn;
}
