import type { Deps } from '#api/deps.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { clearSessionCookie, copyWaiting, markDevice, setSessionCookie } from '#api/http/session/session.ts';
import { toOwnUser } from '#api/http/session/session-user.ts';
import { PASSWORD_RESET_REQUESTED_MESSAGE } from '#shared/accounts/constants.ts';
import * as calls from '#shared/accounts/contract.ts';
import { checkUsername } from './check-username.ts';
import { forgotPassword } from './forgot-password.ts';
import { logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { withReferralPoints } from './queries.ts';
import { register } from './register.ts';
import { resendVerification } from './resend-verification.ts';
import { resetPassword } from './reset-password.ts';
import { updateUser } from './update-user.ts';
import { verifyEmail } from './verify-email.ts';

export function authRoutes(deps: Deps): CallRouter {
  const { db, env, limits, live } = deps;
  /** Lets the sockets of the browser's previous user be checked. */
  const endPrevious = ({ user }: AppEnv['Variables']) => {
    if (user !== null) live.publish({ type: 'sessions', userId: user.id });
  };
  return new CallRouter()
    .answer(calls.readUser, ({ c, user }) => {
      markDevice(c, env.isHttps);
      copyWaiting(c, env.isHttps);
      return withReferralPoints(db, user);
    })
    .answer(calls.updateUser, async ({ user, json }) => toOwnUser(await updateUser(deps, user, json)))
    .answer(
      calls.register,
      async ({ c, json }) => {
        const { user, token } = await register(deps, { ...json, previousToken: c.var.sessionToken });
        endPrevious(c.var);
        setSessionCookie(c, token, env.isHttps);
        return toOwnUser(user);
      },
      limits.registrationsOfClient,
    )
    .answer(
      calls.logIn,
      async ({ c, json }) => {
        const { client, sessionToken: previousToken } = c.var;
        const { user, token } = await logIn(deps, { ...json, client, previousToken });
        endPrevious(c.var);
        setSessionCookie(c, token, env.isHttps);
        return toOwnUser(user);
      },
      limits.loginsOfClient,
    )
    .answer(calls.logOut, async ({ c, user }) => {
      await logOut(deps, { userId: user?.id ?? null, sessionToken: c.var.sessionToken });
      clearSessionCookie(c, env.isHttps);
      return c.body(null);
    })
    .answer(
      calls.forgotPassword,
      async ({ json }) => {
        await forgotPassword(deps, json);
        return { message: PASSWORD_RESET_REQUESTED_MESSAGE };
      },
      limits.passwordRequestsOfClient,
    )
    .answer(
      calls.resetPassword,
      async ({ json }) => {
        await resetPassword(deps, json);
        return { message: 'Your password has been reset. Please log in with the new one.' };
      },
      limits.tokenUsesOfClient,
    )
    .answer(
      calls.verifyEmail,
      async ({ query }) => {
        await verifyEmail(deps, query.token);
        return { message: 'Your email has been verified.' };
      },
      limits.tokenUsesOfClient,
    )
    .answer(calls.resendVerification, async ({ user }) => ({
      message: await resendVerification(deps, user),
    }))
    .answer(
      calls.checkUsername,
      ({ params }) => checkUsername(db, params.username),
      limits.usernameChecksOfClient,
    );
}
