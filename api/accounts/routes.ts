import { Hono } from 'hono';
import type { Deps } from '#api/deps.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { parseInput, readJson } from '#api/http/read-input.ts';
import {
  clearSessionCookie,
  copyWaiting,
  markDevice,
  requireUser,
  setSessionCookie,
} from '#api/http/session/session.ts';
import { toOwnUser } from '#api/http/session/session-user.ts';
import { RESET_MAIL_ASKED } from '#shared/accounts/constants.ts';
import {
  forgotPasswordSchema,
  loginInputSchema,
  type MessageAnswer,
  registerInputSchema,
  resetPasswordSchema,
  updateUserSchema,
  verifyEmailQuerySchema,
} from '#shared/accounts/schema.ts';
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

const PASSWORD_RESET = 'Your password has been reset. Please log in with the new one.';
const EMAIL_VERIFIED = 'Your email has been verified.';

const words = (message: string): MessageAnswer => ({ message });

export function authRoutes(deps: Deps): Hono<AppEnv> {
  const { db, env, limits, live } = deps;
  /** Whoever was signed in before in this browser is not any more. */
  const endPrevious = ({ user }: AppEnv['Variables']) => {
    if (user !== null) live.publish({ type: 'sessions', userId: user.id });
  };
  return new Hono<AppEnv>()
    .get('/user', async (c) => {
      const user = requireUser(c);
      markDevice(c, env.isHttps);
      copyWaiting(c, env.isHttps);
      return c.json(await withReferralPoints(db, user));
    })

    .patch('/user', async (c) => {
      const user = requireUser(c);
      return c.json(toOwnUser(await updateUser(deps, user, await readJson(c, updateUserSchema))));
    })

    .post('/register', async (c) => {
      await limits.registrationsOfClient.take(c.var.client);
      const input = await readJson(c, registerInputSchema);
      const { user, token } = await register(deps, { ...input, previousToken: c.var.sessionToken });
      endPrevious(c.var);
      setSessionCookie(c, token, env.isHttps);
      return c.json(toOwnUser(user), 201);
    })

    .post('/login', async (c) => {
      await limits.loginsOfClient.take(c.var.client);
      const input = await readJson(c, loginInputSchema);
      const { user, token } = await logIn(deps, {
        ...input,
        client: c.var.client,
        previousToken: c.var.sessionToken,
      });
      endPrevious(c.var);
      setSessionCookie(c, token, env.isHttps);
      return c.json(toOwnUser(user));
    })

    .post('/logout', async (c) => {
      await logOut(deps, { userId: c.var.user?.id ?? null, sessionToken: c.var.sessionToken });
      clearSessionCookie(c, env.isHttps);
      return c.body(null, 204);
    })

    .post('/forgot-password', async (c) => {
      await limits.passwordRequestsOfClient.take(c.var.client);
      await forgotPassword(deps, await readJson(c, forgotPasswordSchema));
      return c.json(words(RESET_MAIL_ASKED));
    })

    .post('/reset-password', async (c) => {
      await limits.tokenUsesOfClient.take(c.var.client);
      await resetPassword(deps, await readJson(c, resetPasswordSchema));
      return c.json(words(PASSWORD_RESET));
    })

    .get('/verify-email', async (c) => {
      await limits.tokenUsesOfClient.take(c.var.client);
      await verifyEmail(deps, parseInput(verifyEmailQuerySchema, c.req.query()).token);
      return c.json(words(EMAIL_VERIFIED));
    })

    .post('/resend-verification', async (c) => {
      return c.json(words(await resendVerification(deps, requireUser(c))));
    })

    .get('/check-username/:username', async (c) => {
      await limits.usernameChecksOfClient.take(c.var.client);
      return c.json(await checkUsername(db, c.req.param('username')));
    });
}
