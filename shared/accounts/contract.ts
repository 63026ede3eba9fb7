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
  summary: 'Updates the username or email; a new email has to be verified',
  access: 'user',
  json: schemas.updateUserSchema,
  responses: { 200: { description: 'The updated user', content: schemas.userSchema } },
  errors: ['taken'],
} as const satisfies Call;

export const register = {
  method: 'POST',
  path: '/api/register',
  summary: 'Creates an account and logs it in',
  access: 'anyone',
  json: schemas.registerInputSchema,
  responses: {
    201: { description: 'The new user, including the sign-up bonus', content: schemas.userSchema },
  },
  errors: ['taken'],
} as const satisfies Call;

export const logIn = {
  method: 'POST',
  path: '/api/login',
  summary: 'Logs in by username or email',
  access: 'anyone',
  json: schemas.loginInputSchema,
  responses: { 200: { description: 'The user', content: schemas.userSchema } },
  errors: ['invalid_credentials', 'suspended'],
} as const satisfies Call;

export const logOut = {
  method: 'POST',
  path: '/api/logout',
  summary: 'Ends the current session',
  access: 'anyone',
  responses: { 204: { description: 'The session has ended', content: null } },
} as const satisfies Call;

export const forgotPassword = {
  method: 'POST',
  path: '/api/forgot-password',
  summary: 'Sends a password reset email if an account has this email',
  access: 'anyone',
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
  json: schemas.resetPasswordSchema,
  responses: { 200: { description: 'The password has been changed', content: schemas.messageSchema } },
  errors: ['invalid_token'],
} as const satisfies Call;

export const verifyEmail = {
  method: 'GET',
  path: '/api/verify-email',
  summary: 'Verifies an email address with a token from an email; does not log in',
  access: 'anyone',
  query: schemas.verifyEmailQuerySchema,
  responses: { 200: { description: 'The email address is verified', content: schemas.messageSchema } },
  errors: ['invalid_token'],
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
