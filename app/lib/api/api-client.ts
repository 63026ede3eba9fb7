import * as z from 'zod/mini';
import {
  type ForgotPasswordInput,
  type LoginInput,
  type MessageAnswer,
  messageSchema,
  type RegisterInput,
  type ResetPasswordInput,
  type UpdateUserInput,
  type User,
  type UsernameCheck,
  usernameCheckSchema,
  userSchema,
} from '#shared/accounts/schema.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { EXPECTED_USER_HEADER, healthSchema, withQuery } from '#shared/http.ts';
import { ApiError, UnreachableError } from './api-error.ts';

const TIMEOUT_MS = 15_000;

type Answer = Pick<Response, 'ok' | 'status' | 'statusText'> & { text: string };

/** What an answer says in the shape that its caller expects. Throws `ApiError`, or `UnreachableError`. */
export function readAnswer<Shape>(path: string, answer: Answer, shape: z.ZodMiniType<Shape>): Shape {
  if (!answer.ok) throw errorOf(answer);
  const parsed = z.safeParse(shape, parseJson(answer.text));
  if (!parsed.success) throw new UnreachableError(`${path} did not answer as the server does`);
  return parsed.data;
}

function errorOf({ status, statusText, text }: Answer): ApiError {
  const body = z.safeParse(errorBodySchema, parseJson(text));
  return new ApiError(status, text || statusText, body.success ? body.data : null);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Call<Shape> = {
  path: string;
  /** POST when there is a body, else GET. */
  method?: 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  shape: z.ZodMiniType<Shape>;
  /** Whom the call is for: the server refuses it when somebody else has logged in meanwhile. */
  userId?: number;
  signal?: AbortSignal;
  /** How long an answer is waited for; 15 s by default. */
  timeoutMs?: number;
};

/** One call for which somebody waits. Throws `ApiError`, or `UnreachableError`. */
export async function call<Shape>(options: Call<Shape>): Promise<Shape> {
  const { path, method, headers, body, shape, userId, signal, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(userId !== undefined && { [EXPECTED_USER_HEADER]: String(userId) }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((cause: unknown) => {
    throw new UnreachableError('The server could not be reached', { cause });
  });
  const { ok, status, statusText } = response;
  const text = await response.text().catch(() => '');
  return readAnswer(path, { ok, status, statusText, text }, shape);
}

export function login(input: LoginInput): Promise<User> {
  return call({ path: '/api/login', body: input, shape: userSchema });
}

export function register(input: RegisterInput): Promise<User> {
  return call({ path: '/api/register', body: input, shape: userSchema });
}

export function checkUsername(username: string, signal: AbortSignal): Promise<UsernameCheck> {
  const path = `/api/check-username/${encodeURIComponent(username)}`;
  return call({ path, shape: usernameCheckSchema, signal });
}

/** Changes the account of the user with this id. */
export function updateUser(userId: number, input: UpdateUserInput): Promise<User> {
  return call({ path: '/api/user', method: 'PATCH', body: input, shape: userSchema, userId });
}

/** Sends the user with this id the verification mail again. */
export function resendVerification(userId: number): Promise<MessageAnswer> {
  return call({ path: '/api/resend-verification', body: {}, shape: messageSchema, userId });
}

export function forgotPassword(input: ForgotPasswordInput): Promise<MessageAnswer> {
  return call({ path: '/api/forgot-password', body: input, shape: messageSchema });
}

export function verifyEmail(token: string, signal: AbortSignal): Promise<MessageAnswer> {
  return call({ path: withQuery('/api/verify-email', { token }), shape: messageSchema, signal });
}

export function resetPassword(input: ResetPasswordInput): Promise<MessageAnswer> {
  return call({ path: '/api/reset-password', body: input, shape: messageSchema });
}

/** The version that the server runs. */
export async function serverVersion(): Promise<string> {
  return (await call({ path: '/api/health', shape: healthSchema })).version;
}
