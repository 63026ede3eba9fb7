import { and, desc, eq, exists, not, or, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports, userBlocks } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { Block } from '#shared/reports/schema.ts';

export async function hasReported({ orm }: Handle, userId: number, pollId: string): Promise<boolean> {
  const rows = await orm
    .select({ id: pollReports.id })
    .from(pollReports)
    .where(and(eq(pollReports.pollId, pollId), eq(pollReports.userId, userId), not(pollReports.isTakenBack)));
  return rows.length > 0;
}

/** A condition on `polls`: this user has neither reported the poll nor blocked its maker. */
export function isShownTo({ orm }: Pick<Handle, 'orm'>, userId: number | Placeholder): SQL {
  const report = orm
    .select({ id: pollReports.id })
    .from(pollReports)
    .where(
      and(eq(pollReports.pollId, polls.id), eq(pollReports.userId, userId), not(pollReports.isTakenBack)),
    );
  const block = orm
    .select({ id: userBlocks.blockedId })
    .from(userBlocks)
    .where(and(eq(userBlocks.userId, userId), eq(userBlocks.blockedId, polls.userId)));
  return not(or(exists(report), exists(block)) ?? sql`false`);
}

/** Whether this user has reported a poll or blocked its maker. */
export async function isHiddenFor(handle: Handle, userId: number, pollId: string): Promise<boolean> {
  const rows = await handle.orm
    .select({ id: polls.id })
    .from(polls)
    .where(and(eq(polls.id, pollId), not(isShownTo(handle, userId))));
  return rows.length > 0;
}

/** Records that polls are hidden from this user, whose feed therefore differs from that of others. */
export async function setHidesPolls({ orm }: Handle, userId: number): Promise<void> {
  await orm
    .update(users)
    .set({ hidesPolls: true })
    .where(and(eq(users.id, userId), not(users.hidesPolls)));
}

/** The users whom `userId` has blocked, latest first. */
export async function listBlocks({ orm }: Handle, userId: number): Promise<Block[]> {
  const rows = await orm
    .select({ username: users.username, blockedAt: userBlocks.createdAt })
    .from(userBlocks)
    .innerJoin(users, eq(users.id, userBlocks.blockedId))
    .where(eq(userBlocks.userId, userId))
    .orderBy(desc(userBlocks.createdAt), desc(userBlocks.blockedId));
  return rows.map(({ username, blockedAt }) => ({ username, blockedAt: toIsoDate(blockedAt) }));
}
