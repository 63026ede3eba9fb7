import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { isNotFound } from '#api/storage/durable-files.ts';
import { EXPORT_TTL_HOURS } from '#shared/accounts/constants.ts';
import type { DataExport } from '#shared/accounts/schema.ts';
import { exportPath, removeExports } from './export-files.ts';

/** When an export expires; null until it has ended. */
const expiresAt = sql<string | null>`${dataExports.endedAt} + make_interval(hours => ${EXPORT_TTL_HOURS})`;

/** The export of a user, unless it has expired; else null. */
async function findExport({ orm }: Handle, userId: number) {
  const { id, done, total, bytes, endedAt } = dataExports;
  const [row] = await orm
    .select({ id, done, total, bytes, endedAt, expiresAt })
    .from(dataExports)
    .where(and(eq(dataExports.userId, userId), sql`(${endedAt} is null or ${expiresAt} >= now())`));
  return row ?? null;
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
    const hasEnded = isNotNull(dataExports.endedAt);
    // The new export gets a new id, because the previous file may still be downloading.
    await tx.orm.delete(dataExports).where(and(eq(dataExports.userId, userId), hasEnded));
    await tx.orm.insert(dataExports).values({ userId }).onConflictDoNothing();
  });
  exports.wake();
  if (previous !== null) await removeExports(env.dataDir, [previous.id]);
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
export async function openExport({ db, env }: Pick<Deps, 'db' | 'env'>, userId: number) {
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
