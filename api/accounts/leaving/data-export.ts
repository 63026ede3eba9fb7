import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { isNotFound } from '#api/storage/durable-files.ts';
import { EXPORT_TTL_HOURS } from '#shared/accounts/constants.ts';
import type { DataExport } from '#shared/accounts/schema.ts';
import { exportPath } from './export-files.ts';

const exportFields = {
  id: dataExports.id,
  done: dataExports.done,
  total: dataExports.total,
  bytes: dataExports.bytes,
  endedAt: dataExports.endedAt,
  expiresAt: sql<string | null>`${dataExports.endedAt} + make_interval(hours => ${EXPORT_TTL_HOURS})`,
  isExpired: sql<boolean>`coalesce(${dataExports.endedAt} < now() - make_interval(hours => ${EXPORT_TTL_HOURS}), false)`,
};

async function findExport({ orm }: Handle, userId: number) {
  const [row] = await orm.select(exportFields).from(dataExports).where(eq(dataExports.userId, userId));
  return row === undefined || row.isExpired ? null : row;
}

/**
 * Requests an export of what is stored about the user (`collectPersonalData`), and removes their previous one. An export in
 * progress is returned instead. Throws `rate_limited`.
 */
export async function requestExport(
  { db, env, exports, limits }: Pick<Deps, 'db' | 'env' | 'exports' | 'limits'>,
  userId: number,
): Promise<DataExport> {
  const previous = await findExport(db, userId);
  if (previous !== null && previous.endedAt === null) return toDataExport(previous);
  await limits.exportsOfUser.take(userId);
  await inTransaction(db, async (tx) => {
    const ended = sql`${dataExports.endedAt} is not null`;
    // The new export gets a new id, because the previous file may still be downloading.
    await tx.orm.delete(dataExports).where(sql`${dataExports.userId} = ${userId} and ${ended}`);
    await tx.orm.insert(dataExports).values({ userId }).onConflictDoNothing();
  });
  exports.wake();
  // If this fails, `sweepExports` removes the file later.
  if (previous !== null) await rm(exportPath(env.dataDir, previous.id), { force: true }).catch(() => {});
  return readExport(db, userId);
}

/** The state of the user's export. */
export async function readExport(handle: Handle, userId: number): Promise<DataExport> {
  const row = await findExport(handle, userId);
  return row === null ? { state: 'none' } : toDataExport(row);
}

function toDataExport(row: NonNullable<Awaited<ReturnType<typeof findExport>>>): DataExport {
  if (row.expiresAt === null) {
    return { state: 'waiting', percent: row.total === 0 ? 0 : Math.floor((100 * row.done) / row.total) };
  }
  if (row.bytes === null) return { state: 'failed' };
  return { state: 'ready', bytes: row.bytes, expiresAt: toIsoDate(row.expiresAt) };
}

/** Opens the user's export. The caller must read or cancel `stream`, or call `close`. Throws `not_found` if none is ready. */
export async function openExport({ db, env }: Pick<Deps, 'db' | 'env'>, userId: number): Promise<OpenExport> {
  const row = await findExport(db, userId);
  const notReady = new AppError('not_found', { message: 'No export is ready.' });
  if (row === null || row.bytes === null) throw notReady;
  const file = await open(exportPath(env.dataDir, row.id)).catch((error: unknown) => {
    throw isNotFound(error) ? notReady : error;
  });
  return {
    bytes: row.bytes,
    stream: () => Readable.toWeb(file.createReadStream()) as ReadableStream,
    close: () => file.close(),
  };
}

type OpenExport = { bytes: number; stream(): ReadableStream; close(): Promise<void> };
