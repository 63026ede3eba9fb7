import { getTableColumns } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Handle } from '#api/db/client.ts';
import { columnList } from '#api/db/columns.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import { pollStatus } from '#shared/polls/rules.ts';
import type { Option, Poll, PollStatus } from '#shared/polls/schema.ts';
import type { ShareLinks } from './sharing/share-links.ts';

/** A poll without `activeBefore`, and with its maker's name, which is null once their account is deleted. */
export type PollRow = Omit<typeof polls.$inferSelect, 'activeBefore'> & {
  username: string | null;
};

export type OwnVote = { option: Option; changes: number };

export type PollViewer = { id: number; isAdmin: boolean };

/** A viewer who is neither an administrator nor the maker of any poll: no user has this id. */
export const ANYBODY: PollViewer = { id: 0, isAdmin: false };

export const makers = alias(users, 'makers');

const { activeBefore, ...columns } = getTableColumns(polls);

/** The columns of a `PollRow`, with `makers` joined. */
export const pollFields = { ...columns, username: makers.username };

/** The columns of a `PollSummary`. */
export const pollSummaryFields = {
  id: polls.id,
  question: polls.question,
  option1Image: polls.option1Image,
  option2Image: polls.option2Image,
  option1Caption: polls.option1Caption,
  option2Caption: polls.option2Caption,
  option1Preview: polls.option1Preview,
  option2Preview: polls.option2Preview,
};

const POLL_COLUMNS = columnList(pollFields);

/**
 * The columns of a `PollRow`, for a `select` of tagged SQL on `polls` (or a table expression of that name) that
 * has joined `users` as `makers`.
 */
export function pollColumns({ sql }: Handle) {
  return sql.unsafe(POLL_COLUMNS);
}

/** Whether a poll exists for `viewer`: a removed poll for nobody, a hidden poll only for its maker and administrators. */
export function existsFor(row: PollRow, viewer: PollViewer): boolean {
  if (row.removedAt !== null) return false;
  return row.hiddenAt === null || row.userId === viewer.id || isAdmin(viewer);
}

/**
 * A poll as `viewer` may see it at `nowMs` (milliseconds since 1970): with results only for voters, its maker and
 * administrators, and for everyone once it is closed.
 */
export function toPoll(
  shareLinks: ShareLinks,
  row: PollRow,
  viewer: PollViewer,
  vote: OwnVote | null,
  nowMs: number,
): Poll {
  const status = statusOfRow(row, nowMs);
  const isMine = row.userId === viewer.id;
  const seesResults = vote !== null || isMine || isAdmin(viewer) || status !== 'active';
  return {
    id: row.id,
    question: row.question,
    user: row.username === null ? null : { username: row.username },
    option1Image: row.option1Image,
    option2Image: row.option2Image,
    option1Caption: row.option1Caption,
    option2Caption: row.option2Caption,
    option1Preview: row.option1Preview,
    option2Preview: row.option2Preview,
    option1Size: toSize(row.option1Width, row.option1Height),
    option2Size: toSize(row.option2Width, row.option2Height),
    votesCount: row.votes1 + row.votes2,
    commentCount: 0,
    createdAt: toIsoDate(row.createdAt),
    closesAt: toIsoDate(row.closesAt),
    duration: row.durationDays,
    active: row.active,
    responsesWanted: row.responsesWanted,
    status,
    votes: vote === null ? [] : [{ option: vote.option, changesLeft: VOTE_CHANGES_MAX - vote.changes }],
    results: seesResults ? { option1: row.votes1, option2: row.votes2 } : null,
    isMine,
    isSample: row.isSample,
    rev: row.rev,
    ...(row.hiddenAt !== null && row.removedAt === null && { hidden: true as const }),
    ...(row.removedAt !== null && { removedFor: row.removedRule ?? 'other' }),
    ...(row.closedAt !== null && { closedEarly: true as const }),
    ...(isMine && row.isFree && { isFree: true as const }),
    shareUrl: shareLinks.urlOf(row.id),
  };
}

/** The status of a poll at `nowMs` (milliseconds since 1970). */
export function statusOfRow(row: PollRow, nowMs: number): PollStatus {
  // This process's clock may be behind that of the database.
  if (row.active && row.closedAt !== null) return 'expired';
  const votesCount = row.votes1 + row.votes2;
  return pollStatus({ ...row, votesCount, closesAt: toIsoDate(row.closesAt) }, nowMs);
}

function toSize(width: number | null, height: number | null): Poll['option1Size'] {
  return width === null || height === null ? null : { width, height };
}
