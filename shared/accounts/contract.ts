import * as z from 'zod/mini';
import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const readUser = {
  method: 'GET',
  path: '/api/user',
  summary: 'Returns the logged-in user',
  access: 'user',
  responses: { 200: { description: 'The user', content: schemas.userSchema } },
} as const satisfies Call;

export const updateUser = {
  method: 'PATCH',
  path: '/api/user',
  summary:
    'Updates the username or the weekly mail setting, or requests a new email, which takes effect when its link is opened',
  access: 'user',
  securityEvent: 'account_change',
  json: schemas.updateUserSchema,
  hashesPassword: true,
  responses: { 200: { description: 'The updated user', content: schemas.userSchema } },
  errors: ['taken', 'wrong_password'],
} as const satisfies Call;

export const register = {
  method: 'POST',
  path: '/api/register',
  summary: 'Creates an account and logs it in',
  access: 'anyone',
  securityEvent: 'sign_up',
  json: schemas.registerInputSchema,
  hashesPassword: true,
  responses: {
    201: { description: 'The new user, including the sign-up bonus', content: schemas.userSchema },
  },
  errors: ['taken', 'weak_password'],
} as const satisfies Call;

export const logIn = {
  method: 'POST',
  path: '/api/login',
  summary: 'Logs in by username or email',
  access: 'anyone',
  securityEvent: 'login',
  json: schemas.loginInputSchema,
  hashesPassword: true,
  responses: { 200: { description: 'The user', content: schemas.userSchema } },
  errors: ['invalid_credentials', 'suspended', 'passkey_required'],
} as const satisfies Call;

export const logOut = {
  method: 'POST',
  path: '/api/logout',
  summary: 'Ends the current session',
  access: 'anyone',
  securityEvent: 'logout',
  responses: { 204: { description: 'The session has ended', content: null } },
} as const satisfies Call;

export const changePassword = {
  method: 'POST',
  path: '/api/user/password',
  summary:
    'Changes the password, ends all other sessions of the user and notifies them by email; a repetition has no effect',
  access: 'user',
  securityEvent: 'password_change',
  json: schemas.changePasswordSchema,
  hashesPassword: true,
  responses: { 200: { description: 'The user', content: schemas.userSchema } },
  errors: ['wrong_password', 'weak_password'],
} as const satisfies Call;

export const forgotPassword = {
  method: 'POST',
  path: '/api/forgot-password',
  summary: 'Sends a password reset email if an account has this email',
  access: 'anyone',
  securityEvent: 'password_forgotten',
  json: schemas.forgotPasswordSchema,
  responses: {
    200: {
      description: 'The same response whether or not the account exists',
      content: schemas.messageSchema,
    },
  },
} as const satisfies Call;

export const resetPassword = {
  method: 'POST',
  path: '/api/reset-password',
  summary: 'Sets a new password with a single-use token from an email, and ends all sessions of the user',
  access: 'anyone',
  securityEvent: 'password_reset',
  json: schemas.resetPasswordSchema,
  hashesPassword: true,
  responses: { 200: { description: 'The password has been changed', content: schemas.messageSchema } },
  errors: ['invalid_token', 'weak_password'],
} as const satisfies Call;

export const verifyEmail = {
  method: 'GET',
  path: '/api/verify-email',
  summary: 'Verifies an email address, or confirms a new one, with a token from an email; does not log in',
  access: 'anyone',
  securityEvent: 'email_verified',
  query: schemas.verifyEmailQuerySchema,
  responses: { 200: { description: 'The email address is verified', content: schemas.messageSchema } },
  errors: ['invalid_token', 'taken'],
} as const satisfies Call;

export const undoEmailChange = {
  method: 'POST',
  path: '/api/undo-email-change',
  summary: 'Restores the former email with a token from an email, and ends all sessions of the user',
  access: 'anyone',
  securityEvent: 'email_change_undone',
  json: schemas.mailTokenSchema,
  responses: { 200: { description: 'The former email is in effect again', content: schemas.messageSchema } },
  errors: ['invalid_token', 'taken'],
} as const satisfies Call;

export const undoPasskeys = {
  method: 'POST',
  path: '/api/undo-passkeys',
  summary:
    'Removes new passkeys, switches off a new second step and restores an email changed since, with a single-use token from an email, and ends all sessions of the user',
  access: 'anyone',
  securityEvent: 'passkeys_undone',
  json: schemas.mailTokenSchema,
  responses: { 200: { description: 'The changes are undone', content: schemas.messageSchema } },
  errors: ['invalid_token', 'taken'],
} as const satisfies Call;

export const requestDeletion = {
  method: 'POST',
  path: '/api/user/deletion',
  summary: 'Schedules the deletion of the account in seven days, with or without its polls',
  access: 'user',
  json: schemas.deletionInputSchema,
  hashesPassword: true,
  securityEvent: 'deletion_requested',
  responses: { 200: { description: 'The user, with the day of the deletion', content: schemas.userSchema } },
  errors: ['wrong_password', 'invalid_passkey', 'protected_account'],
} as const satisfies Call;

export const cancelDeletion = {
  method: 'DELETE',
  path: '/api/user/deletion',
  summary: 'Cancels the deletion of the account',
  access: 'user',
  securityEvent: 'deletion_cancelled',
  responses: { 200: { description: 'The user', content: schemas.userSchema } },
} as const satisfies Call;

export const requestExport = {
  method: 'POST',
  path: '/api/user/export',
  summary:
    'Starts an export of all data about the user, unless one is in progress; replaces the file of a previous export',
  access: 'user',
  securityEvent: 'export_requested',
  responses: { 202: { description: 'The export', content: schemas.dataExportSchema } },
} as const satisfies Call;

export const readExport = {
  method: 'GET',
  path: '/api/user/export',
  summary: 'Returns the progress of the export that the user has requested',
  access: 'user',
  responses: { 200: { description: 'The export', content: schemas.dataExportSchema } },
} as const satisfies Call;

export const downloadExport = {
  method: 'GET',
  path: '/api/user/export/file',
  summary: 'Returns the file of an export that is ready',
  access: 'user',
  securityEvent: 'export_downloaded',
  responses: { 200: { description: 'JSON and images as a zip file', content: 'application/zip' } },
  errors: ['not_found'],
} as const satisfies Call;

export const resendVerification = {
  method: 'POST',
  path: '/api/resend-verification',
  summary: 'Sends the verification email again',
  access: 'user',
  responses: { 200: { description: 'Whether an email was sent', content: schemas.messageSchema } },
} as const satisfies Call;

export const checkUsername = {
  method: 'GET',
  path: '/api/check-username/{username}',
  summary: 'Checks whether a username is available',
  access: 'anyone',
  responses: {
    200: {
      description: 'The availability, with a message to show next to the field',
      content: schemas.usernameAvailabilitySchema,
    },
  },
} as const satisfies Call;

export const listSessions = {
  method: 'GET',
  path: '/api/sessions',
  summary: 'Lists the sessions of the user',
  access: 'user',
  responses: {
    200: {
      description: 'The sessions: the current one first, the others by last use',
      content: z.array(schemas.sessionSchema),
    },
  },
} as const satisfies Call;

export const endOtherSessions = {
  method: 'DELETE',
  path: '/api/sessions',
  summary: 'Ends all other sessions of the user',
  access: 'user',
  securityEvent: 'sessions_ended',
  responses: { 204: { description: 'The other sessions have ended', content: null } },
} as const satisfies Call;

export const endSession = {
  method: 'DELETE',
  path: '/api/sessions/{id}',
  summary: 'Ends a session of the user',
  access: 'user',
  params: schemas.sessionParamsSchema,
  securityEvent: 'sessions_ended',
  responses: { 204: { description: 'The session has ended', content: null } },
} as const satisfies Call;

export const unsubscribe = {
  method: 'POST',
  path: '/unsubscribe',
  summary:
    'Switches off the weekly mail by the link in it, without a session (one click, RFC 8058). Idempotent',
  access: 'anyone',
  query: schemas.mailTokenSchema,
  responses: {
    200: {
      description: 'The weekly mail is off',
      content: schemas.messageSchema,
    },
  },
  errors: ['invalid_token'],
} as const satisfies Call;
