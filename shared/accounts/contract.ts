import type { Call } from '#shared/contract.ts';
import {
  forgotPasswordSchema,
  loginInputSchema,
  messageSchema,
  registerInputSchema,
  resetPasswordSchema,
  updateUserSchema,
  usernameCheckSchema,
  userSchema,
  verifyEmailQuerySchema,
} from './schema.ts';

export const readUser = {
  method: 'GET',
  path: '/api/user',
  summary: 'The signed-in user',
  access: 'user',
  answers: { 200: { description: 'The user', content: userSchema } },
} as const satisfies Call;

export const updateUser = {
  method: 'PATCH',
  path: '/api/user',
  summary: 'Changes the name or the email; a new email has to be verified',
  access: 'user',
  json: updateUserSchema,
  answers: { 200: { description: 'The user as they are now', content: userSchema } },
  errors: ['taken'],
} as const satisfies Call;

export const register = {
  method: 'POST',
  path: '/api/register',
  summary: 'Makes an account and signs it in',
  access: 'anyone',
  json: registerInputSchema,
  answers: { 201: { description: 'The new user, with the sign-up bonus', content: userSchema } },
  errors: ['taken'],
} as const satisfies Call;

export const logIn = {
  method: 'POST',
  path: '/api/login',
  summary: 'Signs a user in by username or email',
  access: 'anyone',
  json: loginInputSchema,
  answers: { 200: { description: 'The user', content: userSchema } },
  errors: ['invalid_credentials', 'suspended'],
} as const satisfies Call;

export const logOut = {
  method: 'POST',
  path: '/api/logout',
  summary: 'Ends this session',
  access: 'anyone',
  answers: { 204: { description: 'There is no session any more', content: null } },
} as const satisfies Call;

export const forgotPassword = {
  method: 'POST',
  path: '/api/forgot-password',
  summary: 'Mails a link to set a new password, if anybody has this email',
  access: 'anyone',
  json: forgotPasswordSchema,
  answers: { 200: { description: 'The same for every email', content: messageSchema } },
} as const satisfies Call;

export const resetPassword = {
  method: 'POST',
  path: '/api/reset-password',
  summary: 'Sets a new password by a mailed token, once, and ends every session of the user',
  access: 'anyone',
  json: resetPasswordSchema,
  answers: { 200: { description: 'The password is set', content: messageSchema } },
  errors: ['invalid_token'],
} as const satisfies Call;

export const verifyEmail = {
  method: 'GET',
  path: '/api/verify-email',
  summary: 'Confirms an email by a mailed token; signs nobody in',
  access: 'anyone',
  query: verifyEmailQuerySchema,
  answers: { 200: { description: 'The email is verified', content: messageSchema } },
  errors: ['invalid_token'],
} as const satisfies Call;

export const resendVerification = {
  method: 'POST',
  path: '/api/resend-verification',
  summary: 'Mails another link to confirm the email',
  access: 'user',
  answers: { 200: { description: 'What becomes of it', content: messageSchema } },
} as const satisfies Call;

export const checkUsername = {
  method: 'GET',
  path: '/api/check-username/{username}',
  summary: 'Whether a username is free',
  access: 'anyone',
  answers: { 200: { description: 'What to show beside the field', content: usernameCheckSchema } },
} as const satisfies Call;
