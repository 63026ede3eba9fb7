import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { type Caller, callerOf } from '#api/http/client-address.ts';
import { setSessionCookie } from '#api/http/session/session.ts';
import { toOwnUser, type UserRow } from '#api/http/session/session-user.ts';
import type { User } from '#shared/accounts/schema.ts';

/** The browser that logs in or signs up. */
export type Browser = {
  caller: Caller;
  /** The token of this browser's previous session, which the login ends. */
  previousToken: string | null;
  /** The passkey that was used to log in. */
  passkeyId?: string;
};

export const browserOf = (c: AppContext): Browser => ({
  caller: callerOf(c),
  previousToken: c.var.sessionToken,
});

/** A user with the token of the session that was opened for them. */
export type LoginResult = { user: UserRow; token: string };

/**
 * Sets the session cookie and the user whom the security event names, and returns the user for the response. Makes the sockets of
 * this browser's previous user and of the new user check their sessions, because the login may have ended some of them.
 */
export function respondWithLogin(
  { env, live }: Pick<Deps, 'env' | 'live'>,
  c: AppContext,
  { user, token }: LoginResult,
): User {
  const previousUser = c.var.user ?? user;
  for (const userId of new Set([previousUser.id, user.id])) live.publish({ type: 'sessions', userId });
  setSessionCookie(c, token, env.isHttps);
  c.set('subjectId', user.id);
  return toOwnUser(user);
}
