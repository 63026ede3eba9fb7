import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { clearSessionCookie, copyWaiting, markDevice, setSessionCookie } from '#api/http/session/session.ts';
import { toOwnUser } from '#api/http/session/session-user.ts';
import * as calls from '#shared/accounts/contract.ts';
import type { User } from '#shared/accounts/schema.ts';
import { checkUsername } from './check-username.ts';
import { logIn, logOut } from './log-in.ts';
import { withReferralPoints } from './queries.ts';
import { register, type SignedIn } from './register.ts';
import { forgotPassword, resetPassword } from './reset-password.ts';
import { updateUser } from './update-user.ts';
import { resendVerification, verifyEmail } from './verify-email.ts';

export function authRoutes(deps: Deps): CallRouter {
  const { db, env, limits, live } = deps;
  /** Replaces the session cookie, and lets the sockets of the browser's previous user be checked. */
  function answerSignedIn(c: AppContext, { user, token }: SignedIn): User {
    if (c.var.user !== null) live.publish({ type: 'sessions', userId: c.var.user.id });
    setSessionCookie(c, token, env.isHttps);
    return toOwnUser(user);
  }
  return new CallRouter()
    .answer(calls.readUser, ({ c, user }) => {
      markDevice(c, env.isHttps);
      copyWaiting(c, env.isHttps);
      return withReferralPoints(db, user);
    })
    .answer(calls.updateUser, async ({ user, json }) => toOwnUser(await updateUser(deps, user, json)))
    .answerWithin(limits.registrationsOfClient, calls.register, async ({ c, json }) => {
      return answerSignedIn(c, await register(deps, { ...json, previousToken: c.var.sessionToken }));
    })
    .answerWithin(limits.loginsOfClient, calls.logIn, async ({ c, json }) => {
      const { client, sessionToken: previousToken } = c.var;
      return answerSignedIn(c, await logIn(deps, { ...json, client, previousToken }));
    })
    .answer(calls.logOut, async ({ c, user }) => {
      await logOut(deps, user?.id, c.var.sessionToken);
      clearSessionCookie(c, env.isHttps);
      return c.body(null);
    })
    .answerWithin(limits.passwordRequestsOfClient, calls.forgotPassword, ({ json }) =>
      forgotPassword(deps, json),
    )
    .answerWithin(limits.tokenUsesOfClient, calls.resetPassword, ({ json }) => resetPassword(deps, json))
    .answerWithin(limits.tokenUsesOfClient, calls.verifyEmail, ({ query }) => verifyEmail(deps, query.token))
    .answer(calls.resendVerification, ({ user }) => resendVerification(deps, user))
    .answerWithin(limits.usernameChecksOfClient, calls.checkUsername, ({ params }) =>
      checkUsername(db, params.username),
    );
}
