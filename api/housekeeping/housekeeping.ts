import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { and, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database, Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { maintainEmbedded } from '#api/db/embedded/maintenance.ts';
import { adminJobs } from '#api/db/schema/admin.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { rateLimits, recentCalls } from '#api/db/schema/limits.ts';
import { emailTokens, mailQueue } from '#api/db/schema/mail.ts';
import { mutationReceipts } from '#api/db/schema/mutation-receipts.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import { passkeyChallenges } from '#api/db/schema/passkeys.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pushQueue } from '#api/db/schema/push.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { daysAgo } from '#api/db/timestamps.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { Env } from '#api/env.ts';
import { RECEIPTS_KEPT_DAYS } from '#api/http/receipts.ts';
import { deleteImagesOfRemovedPolls } from '#api/images/withheld-images.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { ageMsOf, ifMissing } from '#api/storage/durable-files.ts';
import {
  EXPORT_TTL_HOURS,
  SESSION_IDLE_TIMEOUT_DAYS,
  SESSION_MAX_AGE_DAYS,
} from '#shared/accounts/constants.ts';
import { NOTIFICATIONS_KEPT_DAYS, NOTIFICATIONS_MAX } from '#shared/notifications/constants.ts';
import { REMOVED_POLLS_KEPT_DAYS } from '#shared/reports/constants.ts';
import { DAY_MS, HOUR_MS } from '#shared/time.ts';

const MAIL_FILES_KEPT_DAYS = 7;
/** Matches the files of mails, including those that were never finished. */
const MAIL_FILE_PATTERN = /\.eml(\.part)?$/;
/** The longest window of any rate limit. */
const RECENT_CALLS_KEPT_DAYS = 1;
const FAILED_MAILS_KEPT_DAYS = 30;
const FAILED_PUSHES_KEPT_DAYS = 7;
const ENDED_JOBS_KEPT_DAYS = 30;
/** For reports of deleted polls, which show how often their reporters were right. */
const REPORTS_KEPT_DAYS = 365;
const EXPORT_KEPT_DAYS = EXPORT_TTL_HOURS / 24;
const ROWS_OF_STATEMENT_MAX = 10_000;

/**
 * Deletes expired sessions, rate limit counters, receipts, passkey challenges, email tokens and exports, and old reports of
 * deleted polls, failed mails, failed push messages, notifications and ended jobs. Keeps at most the newest
 * `NOTIFICATIONS_MAX` notifications of each user. Safe in several processes at once. `signal` ends it after the current statement.
 */
export async function removeExpired(db: Database, signal?: AbortSignal): Promise<void> {
  const handle = { orm: db.orm, signal };
  const isExpired = or(
    lt(sessions.lastSeenAt, daysAgo(SESSION_IDLE_TIMEOUT_DAYS)),
    lt(sessions.createdAt, daysAgo(SESSION_MAX_AGE_DAYS)),
  );
  await deleteRows(handle, sessions, isExpired);
  await deleteRows(handle, rateLimits, lt(rateLimits.expire, sql`now()`));
  await deleteRows(
    handle,
    recentCalls,
    sql`not ${daysAgo(RECENT_CALLS_KEPT_DAYS)} < any(${recentCalls.times})`,
  );
  await deleteRows(handle, mutationReceipts, lt(mutationReceipts.createdAt, daysAgo(RECEIPTS_KEPT_DAYS)));
  await deleteRows(handle, mutationReceipts, lt(mutationReceipts.expiresAt, sql`now()`));
  await deleteRows(handle, passkeyChallenges, lt(passkeyChallenges.expiresAt, sql`now()`));
  await deleteRows(handle, emailTokens, lt(emailTokens.expiresAt, sql`now()`));
  const isOldReport = lt(pollReports.createdAt, daysAgo(REPORTS_KEPT_DAYS));
  await deleteRows(handle, pollReports, and(isNull(pollReports.pollId), isOldReport));
  await deleteRows(handle, mailQueue, lt(mailQueue.failedAt, daysAgo(FAILED_MAILS_KEPT_DAYS)));
  await deleteRows(handle, pushQueue, lt(pushQueue.failedAt, daysAgo(FAILED_PUSHES_KEPT_DAYS)));
  await deleteRows(handle, dataExports, lt(dataExports.endedAt, daysAgo(EXPORT_KEPT_DAYS)));
  await deleteRows(handle, notifications, lt(notifications.createdAt, daysAgo(NOTIFICATIONS_KEPT_DAYS)));
  signal?.throwIfAborted();
  // Tagged SQL: the builder cannot delete by rank.
  await db.sql`
    delete from notifications where id in (
      select id from (
        select id, row_number() over (partition by user_id order by id desc) as rank from notifications
        where user_id in (
          select user_id from notifications group by user_id having count(*) > ${NOTIFICATIONS_MAX}
        )
      ) ranked where rank > ${NOTIFICATIONS_MAX}
    )`;
  await deleteRows(handle, adminJobs, lt(adminJobs.endedAt, daysAgo(ENDED_JOBS_KEPT_DAYS)));
}

/**
 * Deletes the rows of a table that meet a condition, in parts: after a long downtime there may be too many for one statement to
 * delete before its timeout, and queries on the embedded database wait for a statement to end.
 */
async function deleteRows(
  { orm, signal }: Pick<Handle, 'orm'> & { signal: AbortSignal | undefined },
  table: PgTable,
  condition: SQL | undefined,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const part = orm.select({ ctid: sql`ctid` }).from(table).where(condition).limit(ROWS_OF_STATEMENT_MAX);
    const { count } = await orm.delete(table).where(sql`ctid = any(array(${part}))`);
    if (count < ROWS_OF_STATEMENT_MAX) return;
  }
}

/** Deletes polls that an administrator removed `REMOVED_POLLS_KEPT_DAYS` ago. */
export async function deleteRemovedPolls({ db, images }: Pick<Deps, 'db' | 'images'>): Promise<void> {
  const isDue = lt(polls.removedAt, daysAgo(REMOVED_POLLS_KEPT_DAYS));
  const ids = await deleteImagesOfRemovedPolls({ db, images }, isDue);
  if (ids.length === 0) return;
  await inTransaction(db, async (tx) => {
    // No timeout: a poll can have a million votes. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    const { count } = await tx.orm.delete(polls).where(and(isOneOf(polls.id, ids), isDue));
    if (count > 0) await addToTotals(tx, { active: 0, total: -count });
  });
}

/** Deletes old mail files in `folder`: their links have expired, but they still contain email addresses. */
async function removeOldMails(folder: string): Promise<void> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  for (const name of names.filter((file) => MAIL_FILE_PATTERN.test(file))) {
    const path = join(folder, name);
    if ((await ageMsOf(path)) > MAIL_FILES_KEPT_DAYS * DAY_MS) await rm(path, { force: true });
  }
}

type HousekeepingDeps = Pick<Deps, 'db' | 'images'> & { env: Pick<Env, 'dataDir'> };

/**
 * Deletes expired data, and maintains an embedded database. `signal` ends it after the current statement; the removal of old
 * mails or of removed polls is completed first.
 */
export async function runHousekeeping(
  { db, env, images }: HousekeepingDeps,
  onError: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const tasks = [
    () => removeOldMails(join(env.dataDir, 'mail')),
    () => removeExpired(db, signal),
    () => deleteRemovedPolls({ db, images }),
    async () => {
      if (db.kind === 'embedded') await maintainEmbedded(db, signal);
    },
  ];
  for (const task of tasks) {
    signal?.throwIfAborted();
    // A failure of one does not prevent the others.
    await task().catch((error: unknown) => {
      if (error !== signal?.reason) onError(error);
    });
  }
}

/** Runs housekeeping now and every hour, until the returned function is called, which waits for a running round. */
export function startHousekeeping(
  deps: HousekeepingDeps,
  onError: (error: unknown) => void,
): () => Promise<void> {
  return every(HOUR_MS, onError, (signal) => runHousekeeping(deps, onError, signal));
}

/**
 * Runs `work` now and every `intervalMs` milliseconds, unless the previous round is still running. The returned function prevents
 * further rounds, aborts the signal of `work`, and waits for a running round.
 */
export function every(
  intervalMs: number,
  onError: (error: unknown) => void,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | null = null;
  const runRound = () => {
    running ??= work(signal)
      .catch((error: unknown) => {
        if (error !== signal.reason) onError(error);
      })
      .finally(() => {
        running = null;
      });
  };
  runRound();
  const timer = setInterval(runRound, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
