import { openLogin } from '#api/accounts/log-in.ts';
import type { LoggedIn } from '#api/accounts/logged-in.ts';
import { accountSuspended, lockUser } from '#api/accounts/queries.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { userPoints } from '#api/live/live-events.ts';
import { queueNotice } from '#api/mail/mail-queue.ts';
import type { Assertion, FinishSecondStepInput, RequestOptions } from '#shared/accounts/passkeys/schema.ts';
import { checkAssertion, requestPasskey } from './assertions.ts';
import { consumeChallenge, findTicket } from './challenges.ts';
import { noteConfirmation } from './confirm-identity.ts';
import { findRecoveryCode } from './recovery-codes.ts';

type Browser = {
  caller: Caller;
  /** This browser's previous session, which ends with the login. */
  previousToken: string | null;
};

/** Logs in whoever has this passkey: one that was added proves possession and who uses it. Throws `invalid_passkey` or `suspended`. */
export async function logInWithPasskey(deps: Deps, passkey: Assertion, browser: Browser): Promise<LoggedIn> {
  const used = await checkAssertion(deps, passkey, { purpose: 'login' });
  return finish(deps, used.userId, { ...browser, passkeyId: used.id }, used.note);
}

/** Asks for a passkey of the user whose password was right. Throws `invalid_token`. */
export async function startSecondStep(deps: Deps, ticket: string): Promise<RequestOptions> {
  return requestPasskey(deps, { purpose: 'second-step', userId: await requireTicket(deps, ticket) });
}

type SecondStep = LoggedIn & { isRecovered: boolean };

/**
 * Finishes the login of the user of a ticket with a passkey or a recovery code. A wrong one leaves the ticket as it is, for another attempt; of concurrent
 * uses of a ticket one succeeds. Throws `invalid_token`, `invalid_passkey`, `invalid_recovery_code`, `rate_limited` or `suspended`.
 */
export async function finishSecondStep(
  deps: Deps,
  userId: number,
  { ticket, passkey, recoveryCode }: FinishSecondStepInput,
  browser: Browser,
): Promise<SecondStep> {
  const useTicket = async (tx: Transaction) => {
    if (!(await consumeChallenge(tx, ticket, { purpose: 'ticket', userId }))) throw ticketExpired();
  };
  if (passkey !== undefined) {
    const used = await checkAssertion(deps, passkey, { purpose: 'second-step', userId });
    const loggedIn = await finish(deps, userId, { ...browser, passkeyId: used.id }, async (tx) => {
      await useTicket(tx);
      await used.note(tx);
    });
    return { ...loggedIn, isRecovered: false };
  }
  const useCode = await findRecoveryCode(deps, userId, recoveryCode ?? '', browser.caller);
  // Beyond the limit the address has had mails enough; a refusal would let others lock the user out.
  const isTold = await deps.limits.credentialChangesOfUser.tryTake(userId);
  const loggedIn = await finish(deps, userId, browser, async (tx, user) => {
    await useTicket(tx);
    await useCode(tx);
    if (isTold) await queueNotice(tx, 'recovery-code-used', user);
  });
  deps.mails.wake();
  return { ...loggedIn, isRecovered: true };
}

/** The id of the user who has this ticket. Throws `invalid_token`. */
export async function requireTicket({ db }: Pick<Deps, 'db'>, ticket: string): Promise<number> {
  const userId = await findTicket(db, ticket);
  if (userId === null) throw ticketExpired();
  return userId;
}

function ticketExpired(): AppError {
  return new AppError('invalid_token', { message: 'That took too long. Please log in again.' });
}

/** Opens a session that was proved by more than a password, together with `prove`. */
async function finish(
  { db, live }: Deps,
  userId: number,
  browser: Parameters<typeof openLogin>[2],
  prove: (tx: Transaction, user: { id: number; email: string }) => Promise<void>,
): Promise<LoggedIn> {
  const loggedIn = await inTransaction(db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) throw new AppError('invalid_passkey');
    await prove(tx, user);
    if (user.isSuspended) return null;
    const opened = await openLogin(tx, userId, browser);
    if (opened === null) return null;
    await noteConfirmation(tx, { userId, sessionToken: opened.token }, 'passkey');
    return opened;
  });
  if (loggedIn === null) throw accountSuspended();
  live.publish(userPoints(userId, loggedIn.user));
  return loggedIn;
}
