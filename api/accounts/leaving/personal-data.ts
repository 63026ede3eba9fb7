import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import { passkeys, recoveryCodes } from '#api/db/schema/passkeys.ts';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pushSubscriptions } from '#api/db/schema/push.ts';
import { pollReports, userBlocks } from '#api/db/schema/reports.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { votes } from '#api/db/schema/votes.ts';

/** Picks columns of a table for a `select`. */
function pick<Table extends object, Name extends keyof Table>(table: Table, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;
}

/**
 * Returns `data`, what is stored about a user except secrets, ready for JSON, and `images`, the paths of the images of the
 * user's polls, as stored in the database.
 */
export async function collectPersonalData({ orm }: Handle, userId: number) {
  const [account] = await orm
    .select({
      ...pick(users, 'id', 'username', 'email', 'isVerified', 'isAdmin', 'isSuspended', 'secondStep'),
      ...pick(users, 'pendingEmail', 'deletionDueAt', 'deletionPolls', 'points', 'referralCode', 'createdAt'),
      weeklyMail: users.wantsDigest,
    })
    .from(users)
    .where(eq(users.id, userId));
  const ownPolls = await orm
    .select({
      ...pick(polls, 'id', 'question'),
      option1: { caption: polls.option1Caption, image: polls.option1Image, votes: polls.votes1 },
      option2: { caption: polls.option2Caption, image: polls.option2Image, votes: polls.votes2 },
      ...pick(polls, 'responsesWanted', 'durationDays', 'active', 'createdAt', 'closesAt', 'closedAt'),
      ...pick(polls, 'hiddenAt', 'removedAt', 'removedRule'),
    })
    .from(polls)
    .where(eq(polls.userId, userId))
    .orderBy(desc(polls.createdAt));
  const data = {
    account,
    polls: ownPolls,
    votes: await orm
      .select({ question: polls.question, ...pick(votes, 'pollId', 'option', 'changes', 'createdAt') })
      .from(votes)
      // Without the question of a removed or hidden poll, which only its maker can see.
      .leftJoin(polls, and(eq(votes.pollId, polls.id), isNull(polls.removedAt), isNull(polls.hiddenAt)))
      .where(eq(votes.userId, userId))
      .orderBy(desc(votes.createdAt)),
    points: await orm
      .select({ points: pointEntries.delta, ...pick(pointEntries, 'reason', 'createdAt') })
      .from(pointEntries)
      .where(eq(pointEntries.userId, userId))
      .orderBy(desc(pointEntries.id)),
    notifications: await orm
      .select(pick(notifications, 'kind', 'pollId', 'rule', 'verdict', 'createdAt', 'readAt'))
      .from(notifications)
      .where(eq(notifications.userId, userId))
      .orderBy(desc(notifications.id)),
    pushSubscriptions: await orm
      .select({ device: sessions.device, ...pick(pushSubscriptions, 'endpoint', 'createdAt') })
      .from(pushSubscriptions)
      .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
      .where(eq(sessions.userId, userId)),
    sessions: await orm
      .select(pick(sessions, 'device', 'network', 'createdAt', 'lastSeenAt'))
      .from(sessions)
      .where(eq(sessions.userId, userId)),
    passkeys: await orm
      .select(pick(passkeys, 'name', 'isBackedUp', 'createdAt', 'lastUsedAt'))
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(passkeys.createdAt),
    unusedRecoveryCodes: await orm
      .select(pick(recoveryCodes, 'createdAt'))
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId)),
    referredAccounts: await orm
      .select(pick(users, 'createdAt'))
      .from(users)
      .where(eq(users.referredBy, userId)),
    reports: await orm
      .select(
        pick(pollReports, 'pollId', 'reason', 'text', 'isTakenBack', 'verdict', 'decidedAt', 'createdAt'),
      )
      .from(pollReports)
      .where(eq(pollReports.userId, userId)),
    blocked: await orm
      .select({ username: users.username, createdAt: userBlocks.createdAt })
      .from(userBlocks)
      .innerJoin(users, eq(userBlocks.blockedId, users.id))
      .where(eq(userBlocks.userId, userId)),
  };
  return { data, images: ownPolls.flatMap(({ option1, option2 }) => [option1.image, option2.image]) };
}
