import { toPagination } from '#api/admin/paged-ids.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { arrayText } from '#api/db/columns.ts';
import { retryLost } from '#api/db/retry-lost.ts';
import { reportDecisions } from '#api/db/schema/reports.ts';
import type { PageQuery } from '#api/db/search-ids.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { findVotes } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { readPolls } from '#api/polls/queries.ts';
import type { ShareLinks } from '#api/polls/sharing/share-links.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';
import type { ReportDecision, ReportedPoll, ReportsPage } from '#shared/admin/schema.ts';
import type { ReportReason } from '#shared/reports/schema.ts';

/** How many texts of reports are shown for a poll. */
const TEXTS_MAX = 3;

type ReportState = 'open' | 'done';

type ReportDeps = { db: Database; shareLinks: ShareLinks };

/** A page of the reported polls as an administrator sees them: those that wait for a decision, or those that have one. */
export async function listReports(
  deps: ReportDeps,
  viewer: UserRow,
  { state, ...query }: PageQuery & { state: ReportState },
): Promise<ReportsPage> {
  const { db } = deps;
  const [open, ids] = await Promise.all([
    retryLost(() => countOpen(db)),
    retryLost(() => (state === 'open' ? listOpen(db, query) : listDecided(db, query))),
  ]);
  const total = state === 'open' ? open : await db.orm.$count(reportDecisions);
  return {
    reports: await readReported(deps, viewer, ids, state),
    pagination: toPagination(query, { total }),
    open,
  };
}

// These queries are tagged SQL: pages of ids need unions and aggregates of several tables.

/** The polls with open reports, and the hidden ones whose reports were all taken back. */
function openPolls({ sql }: Handle) {
  return sql`
    select polls.id, polls.hidden_at, count(reports.id)::int as reports, min(reports.created_at) as first_report_at
    from (
      select poll_id as id from poll_reports where verdict is null and poll_id is not null
      union
      select id from polls where hidden_at is not null
    ) listed
    join polls on polls.id = listed.id and polls.removed_at is null
    left join poll_reports reports on reports.poll_id = polls.id and reports.verdict is null
    group by polls.id`;
}

async function countOpen(handle: Handle): Promise<number> {
  const [{ count }] = await handle.sql<[{ count: number }]>`
    select count(*)::int as count from (${openPolls(handle)}) open`;
  return count;
}

async function listOpen(handle: Handle, { page, limit }: PageQuery): Promise<string[]> {
  const rows = await handle.sql<{ id: string }[]>`
    select id from (${openPolls(handle)}) open
    order by reports desc, hidden_at, first_report_at, id limit ${limit} offset ${(page - 1) * limit}`;
  return rows.map(({ id }) => id);
}

async function listDecided({ sql }: Handle, { page, limit }: PageQuery): Promise<string[]> {
  // `nulls last` as in the index: otherwise PostgreSQL would not use it.
  const rows = await sql<{ id: string }[]>`
    select poll_id as id from report_decisions
    order by decided_at desc nulls last, poll_id desc nulls last limit ${limit} offset ${(page - 1) * limit}`;
  return rows.map(({ id }) => id);
}

type Details = {
  pollId: string;
  reasons: { reason: ReportReason; count: number }[];
  texts: string[];
  firstReportAt: string | null;
  action: ReportDecision | null;
  rule: ReportReason | null;
  admin: string | null;
  decidedAt: string | null;
};

type Maker = NonNullable<ReportedPoll['maker']>;

async function readReported(
  { db, shareLinks }: ReportDeps,
  viewer: UserRow,
  ids: readonly string[],
  state: ReportState,
): Promise<ReportedPoll[]> {
  if (ids.length === 0) return [];
  const rows = await readPolls(db, ids);
  const makerIds = rows.flatMap(({ userId }) => userId ?? []);
  const [details, makers, votes] = await Promise.all([
    retryLost(() => readDetails(db, ids, state)),
    retryLost(() => readMakers(db, makerIds, viewer.id)),
    findVotes(db, viewer.id, ids),
  ]);
  const nowMs = Date.now();
  return rows.flatMap((row) => {
    const { id } = row;
    const detail = details.find(({ pollId }) => pollId === id);
    if (detail === undefined) return [];
    const { action, decidedAt } = detail;
    return {
      id,
      poll: toPoll(shareLinks, row, viewer, votes.get(id) ?? null, nowMs),
      maker: makers.find((maker) => maker.id === row.userId) ?? null,
      reports: detail.reasons.reduce((sum, { count }) => sum + count, 0),
      reasons: detail.reasons,
      texts: detail.texts,
      firstReportAt: detail.firstReportAt === null ? null : toIsoDate(detail.firstReportAt),
      isHidden: row.hiddenAt !== null,
      decision:
        action === null || decidedAt === null
          ? null
          : { action, rule: detail.rule, admin: detail.admin, decidedAt: toIsoDate(decidedAt) },
    };
  });
}

/** Details of each poll, from its open reports (`open`) or from those that its decision was about (`done`). */
async function readDetails({ sql }: Handle, ids: readonly string[], state: ReportState): Promise<Details[]> {
  return sql<Details[]>`
    with shown as (
      select reports.* from poll_reports reports left join report_decisions decisions using (poll_id)
      where reports.poll_id = any(${arrayText(ids)}::uuid[]) and case when ${state === 'open'}
        then reports.verdict is null else reports.decided_at = decisions.decided_at end
    )
    select polls.id as "pollId",
      coalesce((
        select json_agg(json_build_object('reason', reason, 'count', count) order by count desc, reason)
        from (select reason, count(*)::int as count from shown where poll_id = polls.id group by reason) counted
      ), '[]') as reasons,
      coalesce((
        select json_agg(text) from (
          select text from shown where poll_id = polls.id and text is not null
          order by created_at desc, id desc limit ${TEXTS_MAX}
        ) latest
      ), '[]') as texts,
      (select min(created_at) from shown where poll_id = polls.id) as "firstReportAt",
      decisions.action, decisions.rule, admins.username as admin, decisions.decided_at as "decidedAt"
    from polls left join report_decisions decisions on decisions.poll_id = polls.id
    left join users admins on admins.id = decisions.admin_id
    where polls.id = any(${arrayText(ids)}::uuid[])`;
}

async function readMakers({ sql }: Handle, userIds: readonly number[], adminId: number): Promise<Maker[]> {
  const rows = await sql<(Omit<Maker, 'isProtected'> & { isAdmin: boolean })[]>`
    select id, username, created_at as "createdAt", is_admin as "isAdmin", is_suspended as "isSuspended",
      (select count(*)::int from polls where polls.user_id = users.id) as polls,
      (select count(*)::int from polls where polls.user_id = users.id and removed_at is not null) as "removedPolls"
    from users where id = any(${arrayText(userIds)}::int[])`;
  return rows.map(({ isAdmin, ...maker }) => ({
    ...maker,
    createdAt: toIsoDate(maker.createdAt),
    isProtected: isProtectedAccount({ id: maker.id, isAdmin }, adminId),
  }));
}
