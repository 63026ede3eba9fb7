import * as z from 'zod/mini';
import { PASSKEY_NAME_MAX_LENGTH } from '#shared/accounts/constants.ts';
import { cleanText, storableText, uuidParamsSchema } from '#shared/http.ts';

/** Base64url, the encoding of binary data in the JSON of WebAuthn. */
const base64url = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/), z.maxLength(50_000));
/** WebAuthn allows 1,023 bytes. */
const credentialId = base64url.check(z.maxLength(1_400));
const transportsSchema = z.optional(
  z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/))).check(z.maxLength(10)),
);

const credentialSchema = z.object({
  id: base64url,
  type: z.literal('public-key'),
  /** How browsers can reach the authenticator, if known. */
  transports: z.array(z.string()),
});

/** The options with which a browser uses a passkey (`PublicKeyCredentialRequestOptionsJSON`). */
export const requestOptionsSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
  /** Empty at a login by passkey, for which any passkey of this site is accepted; otherwise those of the user. */
  allowCredentials: z.array(credentialSchema),
});
export type RequestOptions = z.infer<typeof requestOptionsSchema>;

/** The options with which a browser creates a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
export const creationOptionsSchema = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(credentialSchema),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
});
export type CreationOptions = z.infer<typeof creationOptionsSchema>;

/** What a browser returns after a passkey was used (`AuthenticationResponseJSON`), without unused fields. */
export const assertionSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.optional(z.string().check(z.maxLength(200))),
  }),
});
export type Assertion = z.infer<typeof assertionSchema>;

/** What a browser returns after it has created a passkey (`RegistrationResponseJSON`), without unused fields. */
export const attestationSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: transportsSchema,
  }),
});
export type Attestation = z.infer<typeof attestationSchema>;

const NAME_MISSING = 'Give the passkey a name';

export const passkeyNameSchema = z
  .string(NAME_MISSING)
  .check(
    cleanText,
    z.minLength(1, NAME_MISSING),
    z.maxLength(PASSKEY_NAME_MAX_LENGTH, `A name has at most ${PASSKEY_NAME_MAX_LENGTH} characters`),
    storableText,
  );

export const addPasskeySchema = z.object({
  passkey: attestationSchema,
  /** If absent, the name consists of the browser and its operating system. */
  name: z.optional(passkeyNameSchema),
});
export type AddPasskeyInput = z.infer<typeof addPasskeySchema>;

export const renamePasskeySchema = z.object({ name: passkeyNameSchema });

export const passkeyParamsSchema = uuidParamsSchema('This passkey has already been removed.');

/**
 * Dates are ISO 8601 UTC. `isBackedUp`: whether the user's passkey provider has a copy, so that the passkey survives the loss
 * of the device.
 */
export const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  isBackedUp: z.boolean(),
});

/**
 * The passkeys of a user, the oldest first. `secondStep`: whether a login by password also needs a passkey;
 * `secondStepRequired`: whether this installation requires that of the user.
 */
export const passkeyListSchema = z.object({
  passkeys: z.array(passkeySchema),
  secondStep: z.boolean(),
  secondStepRequired: z.boolean(),
  /** The number of unused recovery codes, and when the codes were generated; null if never. */
  recoveryCodesLeft: z.int(),
  recoveryCodesMadeAt: z.nullable(z.string()),
});
export type PasskeyList = z.infer<typeof passkeyListSchema>;

const recoveryCodesSchema = z.array(z.string());

/** `recoveryCodes`: present if the second step was off before; each code is returned only once. */
export const secondStepResponseSchema = z.object({
  ...passkeyListSchema.shape,
  recoveryCodes: z.optional(recoveryCodesSchema),
});

export const recoveryCodesResponseSchema = z.object({
  ...passkeyListSchema.shape,
  recoveryCodes: recoveryCodesSchema,
});

/** The proof of identity: the current password or a passkey. */
export const confirmationSchema = z.object({
  currentPassword: z.optional(z.string()),
  passkey: z.optional(assertionSchema),
});
export type ConfirmationInput = z.infer<typeof confirmationSchema>;

export const passkeyLoginSchema = z.object({ passkey: assertionSchema });

export const ticketSchema = z.object({ ticket: z.string() });

/** The second step of a login: a passkey or a recovery code, with the ticket from the login by password. */
export const finishSecondStepSchema = z.object({
  ticket: z.string(),
  passkey: z.optional(assertionSchema),
  recoveryCode: z.optional(z.string().check(z.maxLength(100))),
});
export type FinishSecondStepInput = z.infer<typeof finishSecondStepSchema>;
