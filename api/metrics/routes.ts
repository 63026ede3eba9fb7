import { isNull } from 'drizzle-orm';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { timingSafeEqual } from 'hono/utils/buffer';
import { collectDefaultMetrics, Gauge, Registry, register } from 'prom-client';
import { adminJobs } from '#api/db/schema/admin.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { mailQueue } from '#api/db/schema/mail.ts';
import { pushQueue } from '#api/db/schema/push.ts';
import { withTimeout } from '#api/db/with-timeout.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { before } from '#api/http/before.ts';
import { noStore } from '#api/http/response-headers.ts';

/** Shorter than Prometheus waits for a response. */
const DATABASE_TIMEOUT_MS = 2_000;

type MetricsDeps = Pick<Deps, 'db' | 'imagePipeline' | 'live' | 'passwords'>;

/**
 * Serves the state of this process, and of what all processes share, in the text format of Prometheus. Requests without `token`
 * (`Authorization: Bearer`) get `not_found`. Counters are registered where they count; gauges are read here on each request.
 */
export function metricsRoutes(deps: MetricsDeps, token: string): Hono<AppEnv> {
  const gauges = new Registry();
  collectDefaultMetrics({ register: gauges });
  registerGauges(deps, gauges);
  const merged = Registry.merge([register, gauges]);
  return new Hono<AppEnv>().use(before(noStore), requireToken(token)).get('/', async (c) => {
    c.header('Content-Type', merged.contentType);
    return c.body(await merged.metrics());
  });
}

function requireToken(token: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const given = c.req.header('Authorization') ?? '';
    if (!(await timingSafeEqual(given, `Bearer ${token}`))) throw new AppError('not_found');
    await next();
  });
}

function registerGauges({ db, imagePipeline, live, passwords }: MetricsDeps, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'live_sockets',
    help: 'Open WebSockets of this process',
    registers,
    collect() {
      this.set(live.countSockets());
    },
  });
  new Gauge({
    name: 'queue_length',
    help: 'Length of a queue: mails, pushes, jobs and exports of all processes, waiting or in progress; passwords and images that wait in this process to be hashed or decoded',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset();
      this.set({ queue: 'passwords' }, passwords.waiting());
      this.set({ queue: 'images' }, imagePipeline.waiting());
      const counting = Promise.all([
        db.orm.$count(mailQueue, isNull(mailQueue.failedAt)),
        db.orm.$count(adminJobs, isNull(adminJobs.endedAt)),
        db.orm.$count(pushQueue, isNull(pushQueue.failedAt)),
        db.orm.$count(dataExports, isNull(dataExports.endedAt)),
      ]);
      const counts = await nullOnError(counting);
      if (counts === null) return;
      const [mails, jobs, pushes, exports] = counts;
      this.set({ queue: 'mails' }, mails);
      this.set({ queue: 'jobs' }, jobs);
      this.set({ queue: 'pushes' }, pushes);
      this.set({ queue: 'exports' }, exports);
    },
  });
  new Gauge({
    name: 'database_connections',
    help: 'Connections of all processes to the database; none while it cannot be reached. state: of PostgreSQL',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      // The builder does not know the views of the system.
      const reading = db.sql<{ state: string; count: number }[]>`
        select coalesce(state, 'other') state, count(*)::int count from pg_stat_activity
        where datname = current_database() group by 1`;
      const states = (await nullOnError(reading)) ?? [];
      for (const { state, count } of states) this.set({ state }, count);
    },
  });
}

/**
 * The result of a query, or null when it fails or takes too long: the other metrics must be available when the database is not.
 */
function nullOnError<Result>(query: PromiseLike<Result>): Promise<Result | null> {
  return withTimeout(DATABASE_TIMEOUT_MS, query).catch(() => null);
}
