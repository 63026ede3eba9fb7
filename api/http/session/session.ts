import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { CookieOptions } from 'hono/utils/cookie';
import type { Handle } from '#api/db/client.ts';
import type { Env } from '#api/env.ts';
import { AppError } from '#api/errors.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import type { Step } from '#api/http/before.ts';
import { callerOf } from '#api/http/client-address.ts';
import { SESSION_MAX_AGE_DAYS } from '#shared/accounts/constants.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import {
  COOKIE_MAX_AGE_S,
  DEVICE_COOKIE,
  EXPECTED_EPOCH_HEADER,
  EXPECTED_USER_HEADER,
  formatOutboxCount,
  LOGGED_IN_COOKIE,
  parseOutboxCount,
  WAITING_COOKIE,
  WAITING_COPY_COOKIE,
} from '#shared/http.ts';
import { DAY_MS } from '#shared/time.ts';
import type { SessionUser, UserRow } from './session-user.ts';
import { isPasskeyUsed, type SessionReader } from './sessions.ts';

/** Sets `c.var.user` and `c.var.sessionToken` by the session cookie. Both are null without an open session. */
export function session({
  sessionReader,
  env,
}: {
  sessionReader: SessionReader;
  env: Pick<Env, 'isHttps'>;
}): Step {
  const { name, options } = cookieOf(env.isHttps);
  return async (c) => {
    const token = getCookie(c, name, options.prefix);
    const user = token === undefined ? null : await sessionReader({ token, caller: () => callerOf(c) });
    c.set('user', user);
    c.set('sessionToken', user === null ? null : (token ?? null));
  };
}

/**
 * Throws `actor_mismatch` when a request expects another user than its session's, or another epoch than the database's
 * (the session may have been restored from a backup).
 */
export const expectedUserAndEpoch: Step = (c) => {
  const user = c.get('user');
  if (user !== null && !isExpected(c, user)) throw new AppError('actor_mismatch');
};

function isExpected(c: AppContext, user: UserRow): boolean {
  const userId = c.req.header(EXPECTED_USER_HEADER);
  const epoch = c.req.header(EXPECTED_EPOCH_HEADER);
  return (
    (userId === undefined || userId === String(user.id)) &&
    (epoch === undefined || epoch.toLowerCase() === user.epoch)
  );
}

/** The logged-in user. Throws `unauthenticated` (401) when there is none. */
export function requireUser(c: AppContext): UserRow {
  const user = c.get('user');
  if (user === null) throw new AppError('unauthenticated');
  return user;
}

/** The id of a request's user and the token of their session. Throws `unauthenticated` without a session. */
export function sessionUserOf(c: AppContext, user: { id: number }): SessionUser {
  const { sessionToken } = c.var;
  if (sessionToken === null) throw new AppError('unauthenticated');
  return { userId: user.id, sessionToken };
}

/**
 * Lets only administrators pass; with `isAdminPasskeyRequired`, only those who have used a passkey or a recovery code in this
 * session. Throws `unauthenticated` (401), `not_admin` or `passkey_needed` (403).
 */
export function requireAdmin({ db, env }: { db: Handle; env: Pick<Env, 'isAdminPasskeyRequired'> }) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!isAdmin(requireUser(c))) throw new AppError('not_admin');
    const { sessionToken } = c.var;
    if (env.isAdminPasskeyRequired && !(await isPasskeyUsed(db, sessionToken))) {
      throw new AppError('passkey_needed');
    }
    await next();
  });
}

export function setSessionCookie(c: AppContext, token: string, isHttps: boolean): void {
  const { name, options } = cookieOf(isHttps);
  const maxAge = (SESSION_MAX_AGE_DAYS * DAY_MS) / 1000;
  setCookie(c, name, token, { ...options, maxAge });
  setPageCookie(c, LOGGED_IN_COOKIE, '1', isHttps, maxAge);
}

export function clearSessionCookie(c: AppContext, isHttps: boolean): void {
  const { name, options } = cookieOf(isHttps);
  deleteCookie(c, name, options);
  deleteCookie(c, LOGGED_IN_COOKIE, { path: '/', secure: isHttps });
}

/** Marks the browser as one that has used the app: see `DEVICE_COOKIE`. */
export function setDeviceCookie(c: AppContext, isHttps: boolean): void {
  if (getCookie(c, DEVICE_COOKIE) === undefined) setPageCookie(c, DEVICE_COOKIE, '1', isHttps);
}

/** Copies the cookie that counts the changes in the outbox: see `WAITING_COPY_COOKIE`. */
export function setWaitingCopyCookie(c: AppContext, isHttps: boolean): void {
  const waiting = parseOutboxCount(getCookie(c, WAITING_COOKIE) ?? '');
  if (waiting !== null)
    setPageCookie(c, WAITING_COPY_COOKIE, formatOutboxCount(waiting.userId, waiting.count), isHttps);
}

/** Sets a cookie that the page can read. */
function setPageCookie(
  c: AppContext,
  name: string,
  value: string,
  isHttps: boolean,
  maxAge = COOKIE_MAX_AGE_S,
): void {
  setCookie(c, name, value, { sameSite: 'Strict', path: '/', secure: isHttps, maxAge });
}

/** The name of the session's cookie, as browsers send it. */
export function sessionCookieName(isHttps: boolean): string {
  const { name, options } = cookieOf(isHttps);
  return options.prefix === 'host' ? `__Host-${name}` : name;
}

function cookieOf(isHttps: boolean): { name: string; options: CookieOptions } {
  const options: CookieOptions = { httpOnly: true, sameSite: 'Lax', path: '/' };
  // Browsers accept the `__Host-` prefix only from this host over https.
  return { name: 'sid', options: isHttps ? { ...options, secure: true, prefix: 'host' } : options };
}
