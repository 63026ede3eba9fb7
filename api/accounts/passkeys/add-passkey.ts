import { lockUser } from '#api/accounts/queries.ts';
import { passkeys } from '#api/db/schema/passkeys.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { describeDevice } from '#api/http/session/device.ts';
import { newToken } from '#api/http/session/secret-tokens.ts';
import type { SessionUser } from '#api/http/session/session-user.ts';
import { queueUndoableNotice } from '#api/mail/mail-queue.ts';
import { PASSKEYS_MAX } from '#shared/accounts/constants.ts';
import type {
  AddPasskeyInput,
  Attestation,
  CreationOptions,
  PasskeyList,
} from '#shared/accounts/passkeys/schema.ts';
import { CHALLENGE_TIMEOUT_MS, challengeExpired, challengeOfClientData, userHandleOf } from './assertions.ts';
import { consumeChallenge, storeChallenge } from './challenges.ts';
import { recordConfirmation, requireConfirmed } from './confirm-identity.ts';
import { countPasskeys, findPasskey, passkeyDescriptors, readPasskeys } from './queries.ts';
import { loadWebAuthn, loadWebAuthnHelpers } from './webauthn.ts';

/** COSE ids of Ed25519, ES256 and RS256, which every supported version of Node can verify. */
const ALGORITHMS = [-8, -7, -257];

/** Returns the options with which a browser creates a passkey. Throws `confirmation_needed` or `passkey_limit`. */
export async function startPasskey(
  { db, env }: Pick<Deps, 'db' | 'env'>,
  sessionUser: SessionUser,
  username: string,
): Promise<CreationOptions> {
  await requireConfirmed(env, db, sessionUser);
  const excludeCredentials = await passkeyDescriptors(db, sessionUser.userId);
  if (excludeCredentials.length >= PASSKEYS_MAX) throw new AppError('passkey_limit');
  const challenge = newToken();
  await storeChallenge(db, challenge, { purpose: 'add', ...sessionUser });
  return {
    challenge,
    rp: { id: env.relyingParty.id, name: 'This or That?' },
    user: { id: userHandleOf(sessionUser.userId), name: username, displayName: username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials,
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  };
}

/**
 * Adds a passkey that a browser has created with the options of `startPasskey`. Its challenge proves that the session was
 * confirmed then, so no new confirmation is needed; the session is now confirmed by passkey. A passkey that the user has already
 * added remains unchanged. Throws `invalid_passkey`, `passkey_limit` or `unauthenticated`.
 */
export async function addPasskey(
  { db, env, mails }: Pick<Deps, 'db' | 'env' | 'mails'>,
  sessionUser: SessionUser,
  { passkey, name, caller }: AddPasskeyInput & { caller: Caller },
): Promise<PasskeyList> {
  const { userId } = sessionUser;
  const isRepeated = (await findPasskey(db, passkey.id, userId)) !== null;
  if (isRepeated) return readPasskeys(env, db, userId);

  const challenge = challengeOfClientData(passkey.response.clientDataJSON);
  if (challenge === null || !(await consumeChallenge(db, challenge, { purpose: 'add', ...sessionUser }))) {
    throw challengeExpired();
  }
  const { credential, credentialBackedUp } = await verify(env, passkey, challenge);
  // The stored id is the one in the attestation.
  if (credential.id !== passkey.id) throw new AppError('invalid_passkey');
  const list = await inTransaction(db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) throw new AppError('unauthenticated');
    // The session has ended in the meantime, perhaps because its user has just recovered the account from an attacker.
    if (!(await recordConfirmation(tx, sessionUser, 'passkey'))) throw new AppError('unauthenticated');
    if ((await countPasskeys(tx, userId)) >= PASSKEYS_MAX) throw new AppError('passkey_limit');
    const added = await tx.orm
      .insert(passkeys)
      .values({
        userId,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: (passkey.response.transports ?? []).join(),
        name: name ?? describeDevice(caller.userAgent ?? ''),
        isBackedUp: credentialBackedUp,
      })
      .onConflictDoNothing();
    // Another user has a passkey with the same credential id.
    if (added.count === 0) throw new AppError('invalid_passkey');
    await queueUndoableNotice(tx, 'passkey-added', user);
    return readPasskeys(env, tx, userId);
  });
  mails.wake();
  return list;
}

async function verify({ relyingParty }: Deps['env'], passkey: Attestation, challenge: string) {
  // The check does not use the transports, and its type does not accept undefined ones.
  const { transports: _, ...response } = passkey.response;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verification = await requireNoCertificates(passkey)
    .then(() =>
      verifyRegistrationResponse({
        response: { ...passkey, response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: relyingParty.origin,
        expectedRPID: relyingParty.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    )
    .catch((cause: unknown) => {
      throw new AppError('invalid_passkey', { cause });
    });
  if (!verification.verified) throw new AppError('invalid_passkey');
  return verification.registrationInfo;
}

/**
 * Throws if an attestation contains certificates: the library would fetch revocation lists from the URLs in them (SSRF). As the
 * options ask for no attestation, browsers replace it by "none", or keep one that the passkey's own key has signed.
 */
async function requireNoCertificates({ response }: Attestation): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await loadWebAuthnHelpers();
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  const isSelfSigned = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfSigned) throw new Error(`Attestations in the format ${format} are refused`);
}
