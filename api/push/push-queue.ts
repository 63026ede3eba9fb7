import { and, eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { pushQueue, pushSubscriptions } from '#api/db/schema/push.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { IS_OPEN } from '#api/http/session/sessions.ts';
import type { MessageQueue } from '#api/jobs/leases.ts';
import type { PushTarget } from './push-transport.ts';

export const PUSH_QUEUE: MessageQueue = {
  table: 'push_queue',
  endedAt: 'failed_at',
  leaseS: 60,
  columns: `leased.id::float8, subscription_id::float8 as "subscriptionId", first_id::float8 as "firstId", last_id::float8 as "lastId",
    lease, attempts`,
  /** Older messages are of no interest. */
  giveUpAfterDays: 1,
};

/** A message to one device that this process has leased. It is about the user's notifications in a range of ids. */
export type LeasedPush = Pick<
  typeof pushQueue.$inferSelect,
  'id' | 'subscriptionId' | 'firstId' | 'lastId' | 'attempts'
> & { lease: string };

/** The target of a message and the id of its user; null if the session has ended. */
export async function findTarget(
  { orm }: Handle,
  { subscriptionId }: LeasedPush,
): Promise<(PushTarget & { userId: number }) | null> {
  const [target] = await orm
    .select({
      userId: sessions.userId,
      endpoint: pushSubscriptions.endpoint,
      p256dh: pushSubscriptions.p256dh,
      auth: pushSubscriptions.auth,
    })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(pushSubscriptions.id, subscriptionId), IS_OPEN));
  return target ?? null;
}

/** Removes a message that was sent or is no longer to be sent. */
export async function removePush({ orm }: Handle, { id, lease }: LeasedPush): Promise<void> {
  await orm.delete(pushQueue).where(and(eq(pushQueue.id, id), eq(pushQueue.lease, lease)));
}

/** Deletes a subscription that the push service no longer knows, and its messages, unless it has got a new endpoint. */
export async function removeSubscription(
  { orm }: Handle,
  { subscriptionId }: LeasedPush,
  { endpoint }: PushTarget,
): Promise<void> {
  await orm
    .delete(pushSubscriptions)
    .where(and(eq(pushSubscriptions.id, subscriptionId), eq(pushSubscriptions.endpoint, endpoint)));
}
