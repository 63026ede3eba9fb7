import { and, eq, gt, or, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { passkeys } from '#api/db/schema/passkeys.ts';
import type { Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { CHALLENGE_TTL_MINUTES } from '#shared/accounts/constants.ts';
import type { Assertion, RequestOptions } from '#shared/accounts/passkeys/schema.ts';
import { type AssertionBinding, consumeChallenge, storeChallenge } from './challenges.ts';
import { findPasskey, passkeyDescriptors } from './queries.ts';
import { loadWebAuthn } from './webauthn.ts';

export const CHALLENGE_TIMEOUT_MS = CHALLENGE_TTL_MINUTES * 60_000;

type PasskeyDeps = Pick<Deps, 'db' | 'env'>;

/** Passkeys always check who uses them, so that each is two factors by itself. */
const USER_VERIFICATION = 'required';

/** Asks for a passkey: for any at a login, else for one of the user's. */
export async function requestPasskey(
  { db, env }: PasskeyDeps,
  binding: AssertionBinding,
): Promise<RequestOptions> {
  const allowCredentials = 'userId' in binding ? await passkeyDescriptors(db, binding.userId) : [];
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const { challenge } = await generateAuthenticationOptions({
    rpID: env.relyingParty.id,
    userVerification: USER_VERIFICATION,
  });
  await storeChallenge(db, challenge, binding);
  return {
    challenge,
    rpId: env.relyingParty.id,
    timeout: CHALLENGE_TIMEOUT_MS,
    userVerification: USER_VERIFICATION,
    allowCredentials,
  };
}

/** A passkey whose signature was checked. */
export type UsedPasskey = {
  id: string;
  userId: number;
  /** Notes the use, under the lock of the user's row. Throws `invalid_passkey` when the passkey is gone or its counter has gone back. */
  note(tx: Transaction): Promise<void>;
};

/**
 * Checks what a passkey has signed. Uses the challenge up in any case. Throws `invalid_passkey`. What the passkey allows must
 * happen in the transaction of `note`.
 */
export async function checkAssertion(
  { db, env }: PasskeyDeps,
  assertion: Assertion,
  binding: AssertionBinding,
): Promise<UsedPasskey> {
  const challenge = challengeIn(assertion.response.clientDataJSON);
  if (challenge === null || !(await consumeChallenge(db, challenge, binding))) throw challengeExpired();
  const userId = 'userId' in binding ? binding.userId : undefined;
  const passkey = await findPasskey(db, assertion.id, userId);
  if (passkey === null || !isHandleOf(passkey.userId, assertion.response.userHandle)) {
    throw new AppError('invalid_passkey');
  }
  const { newCounter, credentialBackedUp } = await verify(env, assertion, challenge, passkey);
  return {
    id: passkey.id,
    userId: passkey.userId,
    async note(tx) {
      const noted = await tx.orm
        .update(passkeys)
        .set({ counter: newCounter, isBackedUp: credentialBackedUp, lastUsedAt: sql`now()` })
        .where(and(eq(passkeys.id, passkey.id), hasCountedTo(newCounter)));
      if (noted.count === 0) throw new AppError('invalid_passkey');
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

/** The counter of a passkey goes up with each use, or stays 0: a copy of its key would count by itself. */
function hasCountedTo(next: number) {
  return or(gt(sql`${next}::bigint`, passkeys.counter), and(eq(passkeys.counter, 0), sql`${next} = 0`));
}

/** The challenge that a browser says it was given; null when that cannot be read. */
export function challengeIn(clientDataJson: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

/** The error for a challenge that has expired or was used. */
export function challengeExpired(): AppError {
  return new AppError('invalid_passkey', { message: 'That took too long. Please try again.' });
}

/** The user handle that a passkey stores (WebAuthn): neither a name nor an address. */
export function handleOf(userId: number): string {
  return Buffer.from(`user ${userId}`).toString('base64url');
}

function isHandleOf(userId: number, userHandle: string | undefined): boolean {
  return userHandle === undefined || userHandle === handleOf(userId);
}

/** Throws `no_passkey` if the user has no passkey to ask for. */
export async function requireAnyPasskey(handle: Handle, userId: number): Promise<void> {
  if ((await passkeyDescriptors(handle, userId)).length === 0) throw new AppError('no_passkey');
}
