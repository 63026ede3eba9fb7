import { and, desc, eq, inArray, not, or } from 'drizzle-orm';
import { pushSubscriptions } from '#api/db/schema/push.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import type { SessionUser } from '#api/http/session/session-user.ts';
import { isPushEndpoint } from '#api/push/push-endpoint.ts';
import { isPublicKey } from '#api/push/vapid.ts';
import { PUSH_DEVICES_MAX } from '#shared/notifications/constants.ts';
import type { PushSubscriptionInput } from '#shared/notifications/schema.ts';

/**
 * Subscribes the browser of a session to push messages, in place of an earlier endpoint of the session. An endpoint belongs to
 * one browser, so an earlier session with the same endpoint loses its subscription. Beyond `PUSH_DEVICES_MAX`, the user's
 * oldest subscriptions are deleted. Throws `invalid_input`, or `unauthenticated` if the session has ended.
 */
export async function subscribeToPush(
  { db, env }: Pick<Deps, 'db' | 'env'>,
  { userId, sessionToken }: SessionUser,
  { endpoint, keys }: PushSubscriptionInput,
): Promise<void> {
  if (!isPushEndpoint(endpoint, env.push.testOrigin)) {
    throw new AppError('invalid_input', { message: 'Push messages cannot be sent to this address.' });
  }
  if (!isPublicKey(keys.p256dh))
    throw new AppError('invalid_input', { message: 'The key p256dh is not valid.' });
  await inTransaction(db, async ({ orm }) => {
    // Locks the user: concurrent calls could otherwise leave more than `PUSH_DEVICES_MAX` subscriptions, or fail because their session
    // has one already.
    await orm.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
    const [session] = await orm
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.tokenHash, hashToken(sessionToken)), eq(sessions.userId, userId)))
      .for('key share');
    if (session === undefined) throw new AppError('unauthenticated');
    const isOfSession = eq(pushSubscriptions.sessionId, session.id);
    const hasEndpoint = eq(pushSubscriptions.endpoint, endpoint);
    // An identical subscription is kept, with its queued messages.
    await orm
      .delete(pushSubscriptions)
      .where(or(and(isOfSession, not(hasEndpoint)), and(hasEndpoint, not(isOfSession))));
    await orm
      .insert(pushSubscriptions)
      .values({ sessionId: session.id, endpoint, ...keys })
      // The subscription exists already, or another session has just stored the same endpoint.
      .onConflictDoUpdate({ target: pushSubscriptions.endpoint, set: { sessionId: session.id, ...keys } });
    const tooMany = await orm
      .select({ id: pushSubscriptions.id })
      .from(pushSubscriptions)
      .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
      .where(eq(sessions.userId, userId))
      .orderBy(desc(pushSubscriptions.id))
      .offset(PUSH_DEVICES_MAX);
    const ids = tooMany.map(({ id }) => id);
    await orm.delete(pushSubscriptions).where(inArray(pushSubscriptions.id, ids));
  });
}

/** Deletes the subscription of a session, if it has one. */
export async function unsubscribeFromPush(
  { db }: Pick<Deps, 'db'>,
  { sessionToken }: SessionUser,
): Promise<void> {
  const session = db.orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.tokenHash, hashToken(sessionToken)));
  await db.orm.delete(pushSubscriptions).where(inArray(pushSubscriptions.sessionId, session));
}

/** The endpoint of a session's subscription; null if it has none. */
export async function findEndpoint(
  { db }: Pick<Deps, 'db'>,
  { sessionToken }: SessionUser,
): Promise<string | null> {
  const [row] = await db.orm
    .select({ endpoint: pushSubscriptions.endpoint })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(eq(sessions.tokenHash, hashToken(sessionToken)));
  return row?.endpoint ?? null;
}
