import { and, desc, eq, inArray, not, or, sql } from 'drizzle-orm';
import { pushSubscriptions } from '#api/db/schema/push.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { isPushEndpoint } from '#api/push/push-endpoint.ts';
import { isPublicKey } from '#api/push/vapid.ts';
import { PUSH_DEVICES_MAX } from '#shared/notifications/constants.ts';
import type { PushSubscriptionInput } from '#shared/notifications/schema.ts';

export type SessionOwner = { userId: number; sessionToken: string };

/**
 * Has push messages sent to the browser of a session, instead of to another endpoint of it. An endpoint belongs to one browser: the
 * session that had it before was on the same device and loses it. Beyond the most devices the oldest is forgotten. Throws
 * `invalid_input`.
 */
export async function subscribeToPush(
  { db, env }: Pick<Deps, 'db' | 'env'>,
  { userId, sessionToken }: SessionOwner,
  { endpoint, keys }: PushSubscriptionInput,
): Promise<void> {
  if (!isPushEndpoint(endpoint, env.push.testOrigin)) {
    throw new AppError('invalid_input', { message: 'Push messages cannot be sent to this address.' });
  }
  if (!isPublicKey(keys.p256dh)) throw new AppError('invalid_input', { message: 'This key is none.' });
  await inTransaction(db, async ({ orm }) => {
    // One after the other: neither more devices than allowed, nor two for a session.
    await orm.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
    const [session] = await orm
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.tokenHash, hashToken(sessionToken)), eq(sessions.userId, userId)))
      .for('key share');
    if (session === undefined) throw new AppError('unauthenticated');
    const isSession = eq(pushSubscriptions.sessionId, session.id);
    const isEndpoint = eq(pushSubscriptions.endpoint, endpoint);
    // What is the same stays, with the messages that wait for it.
    await orm
      .delete(pushSubscriptions)
      .where(and(or(isSession, isEndpoint), not(sql`(${isSession} and ${isEndpoint})`)));
    await orm
      .insert(pushSubscriptions)
      .values({ sessionId: session.id, endpoint, ...keys })
      // The same again, or another session has named it at the same moment.
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

/** Ends the push messages to the browser of a session. */
export async function unsubscribeFromPush(
  { db }: Pick<Deps, 'db'>,
  { sessionToken }: SessionOwner,
): Promise<void> {
  const session = db.orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.tokenHash, hashToken(sessionToken)));
  await db.orm.delete(pushSubscriptions).where(inArray(pushSubscriptions.sessionId, session));
}

/** Where the push messages of a session go; null for nowhere. */
export async function findEndpoint(
  { db }: Pick<Deps, 'db'>,
  { sessionToken }: SessionOwner,
): Promise<string | null> {
  const [row] = await db.orm
    .select({ endpoint: pushSubscriptions.endpoint })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(eq(sessions.tokenHash, hashToken(sessionToken)));
  return row?.endpoint ?? null;
}
