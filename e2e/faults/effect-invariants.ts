import type { Database } from '#api/db/client.ts';
import { fingerprintOf } from '#api/http/receipts.ts';
import { blockOf, NOTHING, reportOf, THERE, voteOf } from './effect-log.ts';
import type { World } from './world.ts';

/**
 * What is wrong on the server with the votes, reports and blocks that were sent to it, in words: each is as the last
 * acknowledged call has left it, exactly once, and its receipt with it.
 */
export async function checkEffects({ test: { db }, effects }: World): Promise<string[]> {
  const expected = effects.expected();
  const userIds = [...new Set(expected.map(({ userId }) => userId))];
  const [found, polls] = await Promise.all([findEffects(db, userIds), db.sql`select id from polls`]);
  const pollIds = new Set(polls.map(({ id }) => id));
  const broken: string[] = [];
  for (const { subject, pollId, states } of expected) {
    const is = found.get(subject) ?? [];
    // With a poll everything about it is deleted.
    if (pollId !== null && !pollIds.has(pollId)) continue;
    if (is.length > 1) broken.push(`${subject} is there ${is.length} times`);
    if (!states.has(is[0] ?? NOTHING)) {
      broken.push(`${subject} is ${is[0] ?? NOTHING} instead of ${[...states].join(' or ')}`);
    }
  }
  return [...broken, ...(await halfDone(db, userIds))];
}

/** The states of all that these users have voted on, reported and blocked, by subject. */
async function findEffects({ sql }: Database, userIds: number[]): Promise<Map<string, string[]>> {
  const ids = `{${userIds.join()}}`;
  const [votes, reports, blocks] = await Promise.all([
    sql<{ userId: number; pollId: string; option: number }[]>`
      select user_id as "userId", poll_id as "pollId", option from votes where user_id = any(${ids}::int[])`,
    sql<{ userId: number; pollId: string }[]>`
      select user_id as "userId", poll_id as "pollId" from poll_reports
      where user_id = any(${ids}::int[]) and poll_id is not null and not is_taken_back`,
    sql<{ userId: number; username: string }[]>`
      select user_id as "userId", username from user_blocks join users on users.id = blocked_id
      where user_id = any(${ids}::int[])`,
  ]);
  const found = new Map<string, string[]>();
  const add = (subject: string, state: string) => found.set(subject, [...(found.get(subject) ?? []), state]);
  for (const { userId, pollId, option } of votes) add(voteOf(userId, pollId), String(option));
  for (const { userId, pollId } of reports) add(reportOf(userId, pollId), THERE);
  for (const { userId, username } of blocks) add(blockOf(userId, username), THERE);
  return found;
}

/** Effects of these users' without a receipt, and receipts without their effect, in words. */
async function halfDone({ sql }: Database, userIds: number[]): Promise<string[]> {
  const ids = `{${userIds.join()}}`;
  const rows = await sql<{ what: string }[]>`
    with receipts as (
      select * from mutation_receipts where code is null and user_id = any(${ids}::int[])
    )
    select 'the report of ' || user_id || ' of ' || poll_id || ' has no receipt' as what
    from poll_reports reports where user_id = any(${ids}::int[]) and poll_id is not null and not exists (
      select from receipts where receipts.user_id = reports.user_id and entity_id = poll_id and route = 'report')
    union all
    select 'the report of ' || receipts.user_id || ' of ' || entity_id || ' is only a receipt'
    from receipts join polls on polls.id = entity_id where route = 'report' and not exists (
      select from poll_reports where poll_reports.user_id = receipts.user_id and poll_id = entity_id
    ) and not exists (
      select from receipts others where others.user_id = receipts.user_id
        and others.entity_id = receipts.entity_id and others.route = 'take_back_report')
    union all
    select 'the vote of ' || user_id || ' on ' || poll_id || ' was changed without a receipt'
    from votes where user_id = any(${ids}::int[]) and changes > (
      select count(*) from receipts
      where receipts.user_id = votes.user_id and entity_id = poll_id and route = 'change_vote')`;
  return [...rows.map(({ what }) => what), ...(await halfDoneBlocks({ sql }, ids))];
}

/** The same of blocks: their receipts have a fingerprint of the name and nothing else. */
async function halfDoneBlocks({ sql }: Pick<Database, 'sql'>, ids: string): Promise<string[]> {
  const [blocks, receipts] = await Promise.all([
    sql<{ userId: number; username: string }[]>`
      select user_id as "userId", username from user_blocks join users on users.id = blocked_id
      where user_id = any(${ids}::int[])`,
    sql<{ userId: number; route: string; fingerprint: string }[]>`
      select user_id as "userId", route, fingerprint from mutation_receipts
      where code is null and route in ('block', 'unblock') and user_id = any(${ids}::int[])`,
  ]);
  const keyOf = (route: string, userId: number, fingerprint: string) => `${route} ${userId} ${fingerprint}`;
  const known = new Set(receipts.map(({ route, userId, fingerprint }) => keyOf(route, userId, fingerprint)));
  const broken: string[] = [];
  for (const { userId, username } of blocks) {
    const key = keyOf('block', userId, fingerprintOf([username.toLowerCase()]));
    if (!known.has(key)) broken.push(`${blockOf(userId, username)} has no receipt`);
    known.delete(key);
  }
  for (const { route, userId, fingerprint } of receipts) {
    if (route !== 'block' || known.has(keyOf('unblock', userId, fingerprint))) continue;
    if (known.has(keyOf('block', userId, fingerprint))) broken.push(`a block of ${userId} is only a receipt`);
  }
  return broken;
}
