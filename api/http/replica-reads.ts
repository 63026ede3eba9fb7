import { getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { REPLICA_LAG_MAX_MS, type Replica } from '#api/db/postgres/replica.ts';
import { withTimeout } from '#api/db/with-timeout.ts';
import type { Env } from '#api/env.ts';
import { AppError } from '#api/errors.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { logOf } from './logging/log.ts';
import { LIST_ENTRY_AGE_MAX_MS } from './read-cache.ts';

/** Marks a device that may just have changed something. */
const WRITER_COOKIE = 'wrote';
/** Longer than a usable replica may lag, plus the longest time for which its reads are cached. */
const WRITER_MAX_AGE_S = (REPLICA_LAG_MAX_MS + LIST_ENTRY_AGE_MAX_MS) / 1_000 + 5;
/** A read that takes longer is made from the primary instead. */
const REPLICA_TIMEOUT_MS = 3_000;

/** Makes a read whose result may be some seconds old. */
export type Reads<Source> = <Result>(
  c: AppContext,
  read: (source: Source) => Promise<Result>,
) => Promise<Result>;

/**
 * Reads from the replica, if there is one that is usable, for devices that have changed nothing in the last seconds; from the
 * primary for all others, and when the replica fails.
 */
export function createReads<Source>(
  primary: Source,
  replica: { source: Source; isUsable: Replica['isUsable'] } | null,
): Reads<Source> {
  return async (c, read) => {
    if (replica === null || getCookie(c, WRITER_COOKIE) !== undefined || !replica.isUsable()) {
      return read(primary);
    }
    try {
      return await withTimeout(REPLICA_TIMEOUT_MS, read(replica.source));
    } catch (error) {
      if (error instanceof AppError) throw error;
      logOf(c).warn({ err: error }, 'A read from the replica failed');
      return read(primary);
    }
  };
}

/** Marks devices that may have changed something, so that they read from the primary, where they find their own changes. */
export function readOwnWritesFromPrimary({ isHttps }: Pick<Env, 'isHttps'>) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return;
    setCookie(c, WRITER_COOKIE, '1', {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: isHttps,
      maxAge: WRITER_MAX_AGE_S,
    });
  });
}
