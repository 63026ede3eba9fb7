import { and, eq, lt, or, sql } from 'drizzle-orm';
import { passkeys } from '#api/db/schema/passkeys.ts';
import type { Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { newToken } from '#api/http/session/secret-tokens.ts';
import { CHALLENGE_TTL_MINUTES } from '#shared/accounts/constants.ts';
import type { Assertion, RequestOptions } from '#shared/accounts/passkeys/schema.ts';
import { MINUTE_MS } from '#shared/time.ts';
import { type AssertionBinding, consumeChallenge, storeChallenge } from './challenges.ts';
import { findPasskey, passkeyDescriptors } from './queries.ts';
import { loadWebAuthn } from './webauthn.ts';

/** How long the browser waits for the user. */
export const CHALLENGE_TIMEOUT_MS = CHALLENGE_TTL_MINUTES * MINUTE_MS;

type PasskeyDeps = Pick<Deps, 'db' | 'env'>;

/** Creates a challenge, and returns the browser's options: for any passkey at a login, otherwise for those of the user. */
export async function requestPasskey(
  { db, env }: PasskeyDeps,
  binding: AssertionBinding,
): Promise<RequestOptions> {
  const allowCredentials = 'userId' in binding ? await passkeyDescriptors(db, binding.userId) : [];
  const challenge = newToken();
  await storeChallenge(db, challenge, binding);
  return {
    challenge,
    rpId: env.relyingParty.id,
    timeout: CHALLENGE_TIMEOUT_MS,
    // By PIN or biometrics, so that a passkey alone counts as two factors.
    userVerification: 'required',
    allowCredentials,
  };
}

/** A passkey whose signature was valid. */
type UsedPasskey = {
  id: string;
  userId: number;
  /**
   * Records the use of the passkey; the user's row must be locked. Throws `invalid_passkey` if the passkey was removed, or if
   * its signature counter is not valid (`isCounterValid`).
   */
  recordUse(tx: Transaction): Promise<void>;
};

/**
 * Verifies the signature of a passkey. A challenge for `binding` is used up even if the signature is wrong. Throws
 * `invalid_passkey`. The caller must call `recordUse` in the transaction of the change that the passkey authorises.
 */
export async function checkAssertion(
  { db, env }: PasskeyDeps,
  assertion: Assertion,
  binding: AssertionBinding,
): Promise<UsedPasskey> {
  const challenge = challengeOfClientData(assertion.response.clientDataJSON);
  if (challenge === null || !(await consumeChallenge(db, challenge, binding))) throw challengeExpired();
  const userId = 'userId' in binding ? binding.userId : undefined;
  const passkey = await findPasskey(db, assertion.id, userId);
  if (passkey === null || !matchesUserHandle(passkey.userId, assertion.response.userHandle)) {
    throw new AppError('invalid_passkey');
  }
  const { newCounter, credentialBackedUp } = await verify(env, assertion, challenge, passkey);
  return {
    id: passkey.id,
    userId: passkey.userId,
    async recordUse(tx) {
      const updated = await tx.orm
        .update(passkeys)
        .set({ counter: newCounter, isBackedUp: credentialBackedUp, lastUsedAt: sql`now()` })
        .where(and(eq(passkeys.id, passkey.id), isCounterValid(newCounter)));
      if (updated.count === 0) throw new AppError('invalid_passkey');
    },
  };
}

async function verify(
  { relyingParty }: PasskeyDeps['env'],
  { response, ...credential }: Assertion,
  challenge: string,
  passkey: typeof passkeys.$inferSelect,
) {
  const { userHandle, ...signed } = response;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verification = await verifyAuthenticationResponse({
    response: {
      ...credential,
      response: userHandle === undefined ? signed : { ...signed, userHandle },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    credential: {
      id: passkey.credentialId,
      publicKey: Buffer.from(passkey.publicKey, 'base64url'),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw new AppError('invalid_passkey', { cause });
  });
  if (!verification.verified) throw new AppError('invalid_passkey');
  return verification.authenticationInfo;
}

/** Whether a signature counter has increased, or is still 0. A counter that has not increased reveals a cloned passkey. */
function isCounterValid(next: number) {
  return or(lt(passkeys.counter, next), next === 0 ? eq(passkeys.counter, 0) : undefined);
}

/** The challenge in a browser's client data (base64url JSON); null if it cannot be parsed. */
export function challengeOfClientData(clientDataJson: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

/** The error for a challenge that has expired or was used already. */
export function challengeExpired(): AppError {
  return new AppError('invalid_passkey', { message: 'That took too long. Please try again.' });
}

/** The WebAuthn user handle that a passkey stores, in base64url. It must contain neither username nor email. */
export function userHandleOf(userId: number): string {
  return Buffer.from(`user ${userId}`).toString('base64url');
}

function matchesUserHandle(userId: number, userHandle: string | undefined): boolean {
  return userHandle === undefined || userHandle === userHandleOf(userId);
}
