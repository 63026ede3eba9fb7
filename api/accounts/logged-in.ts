import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { setSessionCookie } from '#api/http/session/session.ts';
import { toOwnUser, type UserRow } from '#api/http/session/session-user.ts';
import type { User } from '#shared/accounts/schema.ts';

/** A user with the token of the session that was opened for them. */
export type LoggedIn = { user: UserRow; token: string };

/** Replaces the session cookie, and lets the sockets of the browser's previous user be checked. */
export function answerLoggedIn(
  { env, live }: Pick<Deps, 'env' | 'live'>,
  c: AppContext,
  { user, token }: LoggedIn,
): User {
  if (c.var.user !== null) live.publish({ type: 'sessions', userId: c.var.user.id });
  setSessionCookie(c, token, env.isHttps);
  c.set('subjectId', user.id);
  return toOwnUser(user);
}
