import { userSchema } from '#shared/accounts/schema.ts';
import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

const passkeyList = { description: 'The passkeys and the second step', content: schemas.passkeyListSchema };
const requestOptions = {
  description: 'Options for `navigator.credentials.get`, valid once, for five minutes',
  content: schemas.requestOptionsSchema,
};

export const listPasskeys = {
  method: 'GET',
  path: '/api/passkeys',
  summary: 'Lists the passkeys of the user, and says whether they are the second step of a login',
  access: 'user',
  responses: { 200: passkeyList },
} as const satisfies Call;

export const startPasskey = {
  method: 'POST',
  path: '/api/passkeys/options',
  summary: 'Starts to add a passkey; needs a session that was confirmed in the last five minutes',
  access: 'user',
  responses: {
    200: {
      description: 'Options for `navigator.credentials.create`, valid once, for five minutes in this session',
      content: schemas.creationOptionsSchema,
    },
  },
  errors: ['confirmation_needed', 'passkey_limit'],
} as const satisfies Call;

export const addPasskey = {
  method: 'POST',
  path: '/api/passkeys',
  summary:
    'Adds the passkey that the browser has created, and notifies the user by email; a repetition has no effect',
  access: 'user',
  securityEvent: 'passkey_added',
  json: schemas.addPasskeySchema,
  responses: { 201: passkeyList },
  errors: ['invalid_passkey', 'passkey_limit'],
} as const satisfies Call;

export const renamePasskey = {
  method: 'PATCH',
  path: '/api/passkeys/{id}',
  summary: 'Renames a passkey; needs a confirmed session',
  access: 'user',
  params: schemas.passkeyParamsSchema,
  json: schemas.renamePasskeySchema,
  responses: { 200: passkeyList },
  errors: ['confirmation_needed'],
} as const satisfies Call;

export const removePasskey = {
  method: 'DELETE',
  path: '/api/passkeys/{id}',
  summary:
    'Removes a passkey, ends the other sessions that were opened with it, and notifies the user by email. Removing the last passkey switches off the second step. Needs a confirmed session',
  access: 'user',
  securityEvent: 'passkey_removed',
  params: schemas.passkeyParamsSchema,
  responses: { 200: passkeyList },
  errors: ['confirmation_needed'],
} as const satisfies Call;

export const startConfirmation = {
  method: 'POST',
  path: '/api/user/confirmation/options',
  summary:
    'Starts to confirm the user’s identity with a passkey, for the session or for the deletion of the account',
  access: 'user',
  responses: { 200: requestOptions },
  errors: ['no_passkey'],
} as const satisfies Call;

export const confirmIdentity = {
  method: 'POST',
  path: '/api/user/confirmation',
  summary:
    'Confirms the user’s identity by password or passkey: for five minutes, the session may change passkeys and the second step',
  access: 'user',
  securityEvent: 'identity_confirmed',
  json: schemas.confirmationSchema,
  hashesPassword: true,
  responses: { 204: { description: 'The session is confirmed', content: null } },
  errors: ['wrong_password', 'invalid_passkey'],
} as const satisfies Call;

export const switchSecondStepOn = {
  method: 'PUT',
  path: '/api/user/second-step',
  summary:
    'Switches on the second step: a login by password also needs a passkey. Notifies the user by email; a repetition has no effect. Needs a confirmed session',
  access: 'user',
  securityEvent: 'second_step_on',
  hashesPassword: true,
  responses: {
    200: {
      description: 'The passkeys and the second step, with recovery codes if it was off before',
      content: schemas.secondStepResponseSchema,
    },
  },
  errors: ['confirmation_needed', 'no_passkey'],
} as const satisfies Call;

export const switchSecondStepOff = {
  method: 'DELETE',
  path: '/api/user/second-step',
  summary:
    'Switches off the second step: the password is sufficient again. Notifies the user by email. Needs a confirmed session',
  access: 'user',
  securityEvent: 'second_step_off',
  responses: { 200: passkeyList },
  errors: ['confirmation_needed', 'passkey_needed'],
} as const satisfies Call;

export const renewRecoveryCodes = {
  method: 'POST',
  path: '/api/user/recovery-codes',
  summary: 'Replaces the recovery codes, and notifies the user by email. Needs a confirmed session',
  access: 'user',
  securityEvent: 'recovery_codes_renewed',
  hashesPassword: true,
  responses: {
    201: {
      description: 'Ten new codes, which are returned only once',
      content: schemas.recoveryCodesResponseSchema,
    },
  },
  errors: ['confirmation_needed', 'second_step_off'],
} as const satisfies Call;

export const startPasskeyLogin = {
  method: 'POST',
  path: '/api/login/passkey/options',
  summary: 'Starts a login by passkey; the response has the same form for everybody',
  access: 'anyone',
  responses: { 200: requestOptions },
} as const satisfies Call;

export const logInWithPasskey = {
  method: 'POST',
  path: '/api/login/passkey',
  summary: 'Logs in by passkey',
  access: 'anyone',
  securityEvent: 'login',
  json: schemas.passkeyLoginSchema,
  responses: { 200: { description: 'The user', content: userSchema } },
  errors: ['invalid_passkey', 'suspended'],
} as const satisfies Call;

export const startSecondStep = {
  method: 'POST',
  path: '/api/login/second-step/options',
  summary: 'Starts the second step of a login with the ticket that came with `passkey_required`',
  access: 'anyone',
  json: schemas.ticketSchema,
  responses: { 200: requestOptions },
  errors: ['invalid_token'],
} as const satisfies Call;

export const finishSecondStep = {
  method: 'POST',
  path: '/api/login/second-step',
  summary: 'Finishes a login by password with a passkey or a recovery code',
  access: 'anyone',
  securityEvent: 'login',
  json: schemas.finishSecondStepSchema,
  hashesPassword: true,
  responses: { 200: { description: 'The user', content: userSchema } },
  errors: ['invalid_token', 'invalid_passkey', 'invalid_recovery_code', 'suspended'],
} as const satisfies Call;
