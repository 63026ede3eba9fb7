import { and, eq, inArray } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import type { Transaction } from '#api/db/transaction.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import type { ReportReason, ReportVerdict } from '#shared/reports/schema.ts';

type NewNotification = Pick<
  typeof notifications.$inferInsert,
  'userId' | 'kind' | 'pollId' | 'rule' | 'verdict'
>;

/**
 * Writes notifications in the transaction of their cause, skipping those that exist already. Returns the events to publish
 * after the commit.
 */
async function notify({ orm }: Transaction, rows: readonly NewNotification[]): Promise<LiveEvent[]> {
  if (rows.length === 0) return [];
  const written = await orm
    .insert(notifications)
    .values([...rows])
    .onConflictDoNothing()
    .returning({ userId: notifications.userId });
  return toNotificationEvents(written);
}

/** One event for each user to whom notifications were written. */
export function toNotificationEvents(written: readonly { userId: number }[]): LiveEvent[] {
  return [...new Set(written.map(({ userId }) => userId))].map((userId) => ({
    type: 'notifications',
    userId,
  }));
}

/**
 * Notifies the maker that an administrator has removed their poll. `pollId` is null for a deleted poll. Returns the events to
 * publish after the commit.
 */
export function notifyOfRemoval(
  tx: Transaction,
  removal: { userId: number; pollId: string | null; rule: ReportReason | null },
): Promise<LiveEvent[]> {
  return notify(tx, [{ ...removal, kind: 'removed' }]);
}

/** Notifies users of the decision on their reports about a poll. Returns the events to publish after the commit. */
export function notifyOfVerdict(
  tx: Transaction,
  { pollId, verdict, userIds }: { pollId: string; verdict: ReportVerdict; userIds: readonly number[] },
): Promise<LiveEvent[]> {
  return notify(
    tx,
    userIds.map((userId) => ({ userId, kind: 'report_resolved', pollId, verdict })),
  );
}

/**
 * Deletes the notifications about a decision that was made at `decidedAt`, the time of its transaction. Returns the events to
 * publish after the commit.
 */
export async function deleteDecisionNotifications(
  { orm }: Transaction,
  pollId: string,
  decidedAt: string,
): Promise<LiveEvent[]> {
  const deleted = await orm
    .delete(notifications)
    .where(
      and(
        eq(notifications.pollId, pollId),
        inArray(notifications.kind, ['removed', 'report_resolved']),
        eq(notifications.createdAt, decidedAt),
      ),
    )
    .returning({ userId: notifications.userId });
  return toNotificationEvents(deleted);
}

/**
 * Notifies a user that a friend has signed up with the user's referral link, or has verified their own email, unless the user
 * has blocked the friend. Returns the events to publish after the commit.
 */
export async function notifyOfFriend(
  { sql }: Handle,
  {
    userId,
    friendId,
    kind,
  }: { userId: number; friendId: number; kind: 'referral_joined' | 'referral_verified' },
): Promise<LiveEvent[]> {
  // Tagged SQL: the builder cannot insert a row conditionally.
  const written = await sql<{ userId: number }[]>`
    insert into notifications (user_id, kind, friend_id)
    select ${userId}, ${kind}, ${friendId}
    where not exists (select from user_blocks where user_id = ${userId} and blocked_id = ${friendId})
    on conflict do nothing returning user_id as "userId"`;
  return toNotificationEvents(written);
}
