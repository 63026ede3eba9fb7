import type { Database } from '#api/db/client.ts';
import { fingerprintOf } from '#api/http/receipts.ts';
import { ABSENT, blockOf, PRESENT, reportOf, voteOf } from './effect-log.ts';
import type { World } from './world.ts';

/**
 * Describes violations on the server: a vote, report or block that exists more than once or is not in the state of its last
 * acknowledged call, a report, block or change of a vote without a receipt, or a receipt of a report or block without its effect.
 */
export async function checkEffects({ test: { db }, effects }: World): Promise<string[]> {
  const expected = effects.expected();
  const userIds = [...new Set(expected.map(({ userId }) => userId))];
  const [statesOfSubject, polls] = await Promise.all([
    findEffects(db, userIds),
    db.sql`select id from polls`,
  ]);
  const pollIds = new Set(polls.map(({ id }) => id));
  const violations: string[] = [];
  for (const { subject, pollId, states } of expected) {
    const actual = statesOfSubject.get(subject) ?? [];
    // The effects are deleted together with their poll.
    if (pollId !== null && !pollIds.has(pollId)) continue;
    if (actual.length > 1) violations.push(`${subject} exists ${actual.length} times`);
    if (!states.has(actual[0] ?? ABSENT)) {
      violations.push(`${subject} is ${actual[0] ?? ABSENT} instead of ${[...states].join(' or ')}`);
    }
  }
  return [...violations, ...(await unpairedReceipts(db, userIds))];
}

/** The states of the votes, reports and blocks of these users, by subject. */
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
  const statesOfSubject = new Map<string, string[]>();
  const add = (subject: string, state: string) =>
    statesOfSubject.set(subject, [...(statesOfSubject.get(subject) ?? []), state]);
  for (const { userId, pollId, option } of votes) add(voteOf(userId, pollId), String(option));
  for (const { userId, pollId } of reports) add(reportOf(userId, pollId), PRESENT);
  for (const { userId, username } of blocks) add(blockOf(userId, username), PRESENT);
  return statesOfSubject;
}

/**
 * Describes reports, blocks and changes of votes by these users that have no receipt, and receipts of reports and blocks that
 * neither exist nor were undone.
 */
async function unpairedReceipts({ sql }: Database, userIds: number[]): Promise<string[]> {
  const ids = `{${userIds.join()}}`;
  const rows = await sql<{ violation: string }[]>`
    with receipts as (
      select * from mutation_receipts where code is null and user_id = any(${ids}::int[])
    )
    select 'the report of ' || user_id || ' of ' || poll_id || ' has no receipt' as violation
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
  return [...rows.map(({ violation }) => violation), ...(await unpairedBlockReceipts({ sql }, ids))];
}

/** The same for blocks, whose receipts have no entity, only a fingerprint of the username. */
async function unpairedBlockReceipts({ sql }: Pick<Database, 'sql'>, ids: string): Promise<string[]> {
  const [blocks, receipts] = await Promise.all([
    sql<{ userId: number; username: string }[]>`
      select user_id as "userId", username from user_blocks join users on users.id = blocked_id
      where user_id = any(${ids}::int[])`,
    sql<{ userId: number; route: string; fingerprint: string }[]>`
      select user_id as "userId", route, fingerprint from mutation_receipts
      where code is null and route in ('block', 'unblock') and user_id = any(${ids}::int[])`,
  ]);
  const keyOf = (route: string, userId: number, fingerprint: string) => `${route} ${userId} ${fingerprint}`;
  const knownKeys = new Set(
    receipts.map(({ route, userId, fingerprint }) => keyOf(route, userId, fingerprint)),
  );
  const violations: string[] = [];
  for (const { userId, username } of blocks) {
    const key = keyOf('block', userId, fingerprintOf([username.toLowerCase()]));
    if (!knownKeys.has(key)) violations.push(`${blockOf(userId, username)} has no receipt`);
    knownKeys.delete(key);
  }
  for (const { route, userId, fingerprint } of receipts) {
    // The keys of blocks that exist were deleted above.
    const isOnlyReceipt = route === 'block' && knownKeys.has(keyOf(route, userId, fingerprint));
    const wasUndone = knownKeys.has(keyOf('unblock', userId, fingerprint));
    if (isOnlyReceipt && !wasUndone) violations.push(`a block of ${userId} is only a receipt`);
  }
  return violations;
}
