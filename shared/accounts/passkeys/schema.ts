import * as z from 'zod/mini';
import { PASSKEY_NAME_MAX_LENGTH } from '#shared/accounts/constants.ts';
import { cleanText, storableText } from '#shared/http.ts';

/** Base64url, as everything binary of WebAuthn is in JSON. */
const base64url = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/), z.maxLength(50_000));
const transportsSchema = z.optional(
  z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/))).check(z.maxLength(10)),
);

const credentialSchema = z.object({
  id: base64url,
  type: z.literal('public-key'),
  /** How browsers reach it, as far as it is known. */
  transports: z.array(z.string()),
});

/** What a browser needs to ask for a passkey (`PublicKeyCredentialRequestOptionsJSON`). */
export const requestOptionsSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
  /** Empty at a login: any passkey of this site will do. */
  allowCredentials: z.array(credentialSchema),
});
export type RequestOptions = z.infer<typeof requestOptionsSchema>;

/** What a browser needs to make a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
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

/** What a browser returns of a passkey that was used (`AuthenticationResponseJSON`), without what nobody reads. */
export const assertionSchema = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.optional(z.string().check(z.maxLength(200))),
  }),
});
export type Assertion = z.infer<typeof assertionSchema>;

/** What a browser returns of a passkey that it has made (`RegistrationResponseJSON`), without what nobody reads. */
export const attestationSchema = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: transportsSchema,
  }),
});
export type Attestation = z.infer<typeof attestationSchema>;

const NAME_MISSING = 'Give it a name';

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
  /** If absent, the browser and its system in words. */
  name: z.optional(passkeyNameSchema),
});
export type AddPasskeyInput = z.infer<typeof addPasskeySchema>;

export const renamePasskeySchema = z.object({ name: passkeyNameSchema });

export const passkeyParamsSchema = z.object({ id: z.uuid('This passkey has been removed already.') });

/** Dates are ISO 8601 UTC. `isBackedUp`: the user's provider of passkeys has a copy, so that it outlives the device. */
export const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  isBackedUp: z.boolean(),
});

/**
 * The passkeys of a user, the oldest first, and the second step: whether a login by password asks for one of them, and whether
 * this installation requires that of the user.
 */
export const passkeyListSchema = z.object({
  passkeys: z.array(passkeySchema),
  secondStep: z.boolean(),
  secondStepRequired: z.boolean(),
  /** The number of unused recovery codes, and when they were made; null if never. */
  recoveryCodesLeft: z.int(),
  recoveryCodesMadeAt: z.nullable(z.string()),
});
export type PasskeyList = z.infer<typeof passkeyListSchema>;

const recoveryCodesSchema = z.array(z.string());

/** `recoveryCodes` are there if the second step was off before, and are shown this one time. */
export const secondStepResponseSchema = z.object({
  ...passkeyListSchema.shape,
  recoveryCodes: z.optional(recoveryCodesSchema),
});

export const recoveryCodesResponseSchema = z.object({
  ...passkeyListSchema.shape,
  recoveryCodes: recoveryCodesSchema,
});

/** Takes the current password or a passkey. */
export const confirmationSchema = z.object({
  currentPassword: z.optional(z.string()),
  passkey: z.optional(assertionSchema),
});
export type ConfirmationInput = z.infer<typeof confirmationSchema>;

export const passkeyLoginSchema = z.object({ passkey: assertionSchema });

export const ticketSchema = z.object({ ticket: z.string() });

/** Takes a passkey or a recovery code, with the ticket from the login by password. */
export const finishSecondStepSchema = z.object({
  ticket: z.string(),
  passkey: z.optional(assertionSchema),
  recoveryCode: z.optional(z.string().check(z.maxLength(100))),
});
export type FinishSecondStepInput = z.infer<typeof finishSecondStepSchema>;
