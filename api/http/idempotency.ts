import { createMiddleware } from 'hono/factory';
import { AppError } from '#api/errors.ts';
import { requireUser } from '#api/http/session/session.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema } from '#shared/http.ts';
import type { AppContext, AppEnv } from './app-env.ts';

/** Echoes the key on every answer, refusals included: that is how a device knows that the answer is ours. */
export const echoKey = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) c.header(IDEMPOTENCY_KEY_HEADER, key);
  await next();
});

/** The signed-in user and the key of a call that a device may have queued. Throws `unauthenticated` or `invalid_key`. */
export function requireActor(c: AppContext): { user: UserRow; key: string | null } {
  const user = requireUser(c);
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined) return { user, key: null };
  if (!idempotencyKeySchema.safeParse(key).success) throw new AppError('invalid_key');
  return { user, key };
}
