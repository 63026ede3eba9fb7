import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { callerOf } from '#api/http/client-address.ts';
import { countingSuccesses } from '#api/http/limits/attempts.ts';
import { reportSecurityEvent } from '#api/http/logging/security-events.ts';
import {
  clearSessionCookie,
  sessionUserOf,
  setDeviceCookie,
  setWaitingCopyCookie,
} from '#api/http/session/session.ts';
import { toOwnUser } from '#api/http/session/session-user.ts';
import * as calls from '#shared/accounts/contract.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';
import { checkUsername } from './check-username.ts';
import { logIn, logOut } from './log-in.ts';
import { browserOf, respondWithLogin } from './login-result.ts';
import { changePassword } from './passwords/change-password.ts';
import { forgotPassword, resetPassword } from './passwords/reset-password.ts';
import { withReferralPoints } from './queries.ts';
import { register } from './register.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
import { undoEmailChange, undoPasskeys } from './undo-changes.ts';
import { updateUser } from './update-user.ts';
import { resendVerification, verifyEmail } from './verify-email.ts';
import { unsubscribe } from './weekly-mail.ts';

export function accountRoutes(deps: Deps): CallRouter {
  const { db, env, limits } = deps;
  const clearBrowserData = (c: AppContext) => {
    clearSessionCookie(c, env.isHttps);
    // Images and feed pages are in the browser's HTTP cache.
    c.header('Clear-Site-Data', '"cache"');
  };
  return new CallRouter()
    .answer(calls.readUser, ({ c, user }) => {
      setDeviceCookie(c, env.isHttps);
      setWaitingCopyCookie(c, env.isHttps);
      return withReferralPoints(db, user);
    })
    .answer(calls.updateUser, async ({ c, user, json }) =>
      toOwnUser(await updateUser(deps, user, json, callerOf(c))),
    )
    .answer(calls.changePassword, async ({ c, user, json }) => {
      const { sessionToken } = sessionUserOf(c, user);
      const change = { ...json, sessionToken, caller: callerOf(c) };
      return toOwnUser(
        await countingSuccesses(limits.credentialChangesOfUser, user.id, () =>
          changePassword(deps, user, change),
        ),
      );
    })
    .answer(calls.listSessions, ({ c, user }) => listSessions(deps, sessionUserOf(c, user)))
    .answer(calls.endOtherSessions, async ({ c, user }) => {
      await endOtherSessions(deps, sessionUserOf(c, user));
      return c.body(null);
    })
    .answer(calls.endSession, async ({ c, user, params }) => {
      const isCurrent = await endSession(deps, sessionUserOf(c, user), params.id);
      if (isCurrent) clearBrowserData(c);
      return c.body(null);
    })
    .answerWithin(limits.registrationsOfClient, calls.register, async ({ c, json }) =>
      respondWithLogin(deps, c, await register(deps, { ...json, ...browserOf(c) })),
    )
    .answerWithin(limits.loginsOfClient, calls.logIn, async ({ c, json }) => {
      const onSlowdown = (userId: number | undefined) => {
        const { username: name } = json;
        reportSecurityEvent(c, { event: 'login_slowed_down', outcome: 'rate_limited', userId, name });
      };
      return respondWithLogin(deps, c, await logIn(deps, { ...json, ...browserOf(c), onSlowdown }));
    })
    .answer(calls.logOut, async ({ c, user }) => {
      await logOut(deps, user?.id, c.var.sessionToken);
      clearBrowserData(c);
      return c.body(null);
    })
    .answerWithin(limits.passwordRequestsOfClient, calls.forgotPassword, ({ json }) =>
      forgotPassword(deps, json),
    )
    .answerWithin(limits.tokenUsesOfClient, calls.resetPassword, async ({ c, json }) =>
      respondToToken(c, await resetPassword(deps, json, callerOf(c))),
    )
    .answerWithin(limits.tokenUsesOfClient, calls.verifyEmail, async ({ c, query }) =>
      respondToToken(c, await verifyEmail(deps, query.token)),
    )
    .answerWithin(limits.tokenUsesOfClient, calls.undoEmailChange, async ({ c, json }) =>
      respondToToken(c, await undoEmailChange(deps, json.token)),
    )
    .answerWithin(limits.tokenUsesOfClient, calls.undoPasskeys, async ({ c, json }) =>
      respondToToken(c, await undoPasskeys(deps, json.token)),
    )
    .answer(calls.resendVerification, ({ user }) => resendVerification(deps, user))
    .answerWithin(limits.usernameChecksOfClient, calls.checkUsername, ({ user, params }) =>
      checkUsername(db, params.username, user),
    );
}

/** Returns the response to the use of a token, and sets the user whom the security event names. */
function respondToToken(c: AppContext, { userId, ...response }: MessageResponse & { userId: number }) {
  c.set('subjectId', userId);
  return response;
}

/**
 * One-click unsubscribing. The call has the same path as the page, because mail programs send it to the URL of the link in the
 * weekly mail.
 */
export function unsubscribeRoutes(deps: Deps): CallRouter {
  return new CallRouter().answer(calls.unsubscribe, ({ query }) => unsubscribe(deps, query.token));
}
