import type { Database } from '#api/db/client.ts';
import { AppError } from '#api/errors.ts';
import { APP_ID } from '#shared/http.ts';
import { readHealth, readReadiness } from '#shared/service/contract.ts';
import { CallRouter } from './call-router.ts';
import type { Lifecycle } from './end-connections.ts';

const READY_TIMEOUT_MS = 2_000;
const RETRY_AFTER_S = 2;

type HealthDeps = { db: Database; version: string; lifecycle: Lifecycle };

/** `/health` tells that the process lives, `/ready` that it can serve: the database answers, no shutdown began. */
export function healthRoutes({ db, version, lifecycle }: HealthDeps): CallRouter {
  return new CallRouter()
    .answer(readHealth, () => ({ status: 'ok', app: APP_ID, version }) as const)
    .answer(readReadiness, async ({ c }) => {
      if (lifecycle.isStopping) throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S });
      // Asks no table, and is not tried twice: the builder does both.
      await answersInTime(db.sql`select 1`);
      return c.json({ status: 'ready' });
    });
}

async function answersInTime(query: PromiseLike<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S })),
      READY_TIMEOUT_MS,
    );
  });
  await Promise.race([query, timeout]).finally(() => clearTimeout(timer));
}
