import { Hono } from 'hono';
import type { AppEnv } from '#api/app-env.ts';
import type { Deps } from '#api/deps.ts';
import { readJson } from '#api/middleware/read-input.ts';
import { clearSessionCookie, requireUser, setSessionCookie } from '#api/middleware/session.ts';
import { toUser } from '#api/services/user-view.ts';
import { loginInputSchema, registerInputSchema } from '#shared/auth/schema.ts';
import { checkUsername } from './check-username.ts';
import { logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { register } from './register.ts';

export function authRoutes(deps: Deps): Hono<AppEnv> {
  const { db, env, limits } = deps;
  return new Hono<AppEnv>()
    .get('/user', (c) => c.json(toUser(requireUser(c))))

    .post('/register', async (c) => {
      await limits.registrationsOfClient.take(c.var.client);
      const input = await readJson(c, registerInputSchema);
      const { user, token } = await register(deps, { ...input, previousToken: c.var.sessionToken });
      setSessionCookie(c, token, env.isHttps);
      return c.json(toUser(user), 201);
    })

    .post('/login', async (c) => {
      await limits.loginsOfClient.take(c.var.client);
      const input = await readJson(c, loginInputSchema);
      const { user, token } = await logIn(deps, {
        ...input,
        client: c.var.client,
        previousToken: c.var.sessionToken,
      });
      setSessionCookie(c, token, env.isHttps);
      return c.json(toUser(user));
    })

    .post('/logout', async (c) => {
      await logOut(db, c.var.sessionToken);
      clearSessionCookie(c, env.isHttps);
      return c.body(null, 204);
    })

    .get('/check-username/:username', async (c) => {
      await limits.usernameChecksOfClient.take(c.var.client);
      return c.json(await checkUsername(db, c.req.param('username')));
    });
}
