import {
  loginInputSchema,
  registerInputSchema,
  usernameCheckSchema,
  userSchema,
} from '#shared/auth/schema.ts';
import type { Operation } from './describe-operation.ts';

const ACCOUNTS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/user',
    group: 'Accounts',
    summary: 'The signed-in user',
    access: 'user',
    answers: { 200: { description: 'The user', content: userSchema } },
    errors: [],
  },
  {
    method: 'post',
    path: '/api/register',
    group: 'Accounts',
    summary: 'Makes an account and signs it in',
    access: 'anyone',
    json: registerInputSchema,
    answers: { 201: { description: 'The new user, with the sign-up bonus', content: userSchema } },
    errors: ['invalid_input', 'taken', 'unsupported_type', 'too_large'],
  },
  {
    method: 'post',
    path: '/api/login',
    group: 'Accounts',
    summary: 'Signs a user in by username or email',
    access: 'anyone',
    json: loginInputSchema,
    answers: { 200: { description: 'The user', content: userSchema } },
    errors: ['invalid_input', 'invalid_credentials', 'suspended', 'unsupported_type', 'too_large'],
  },
  {
    method: 'post',
    path: '/api/logout',
    group: 'Accounts',
    summary: 'Ends this session',
    access: 'anyone',
    answers: { 204: { description: 'There is no session any more', content: null } },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/check-username/{username}',
    group: 'Accounts',
    summary: 'Whether a username is free',
    access: 'anyone',
    answers: { 200: { description: 'What to show beside the field', content: usernameCheckSchema } },
    errors: [],
  },
];

/** The calls about accounts and sessions. */
export function listAccountOperations(): readonly Operation[] {
  return ACCOUNTS;
}
