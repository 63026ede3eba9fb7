import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { createLeaseRunner, HaltError } from './lease-runner.ts';
import { type Lease, leaseDue, type Queue } from './leases.ts';

const { db } = await createTestApp();
const QUEUE: Queue = {
  table: 'mail_queue',
  endedAt: 'failed_at',
  leaseS: 60,
  columns: 'leased.id::int, lease',
};

beforeEach(() => db.sql`delete from mail_queue`);

async function queueMails(...emails: string[]): Promise<void> {
  for (const email of emails)
    await db.sql`insert into mail_queue (purpose, email) values ('reset', ${email})`;
}

/** Whether each row is leased, in the order in which the rows were queued. */
async function readLeased(): Promise<boolean[]> {
  const rows = await db.sql<{ isLeased: boolean }[]>`
    select lease is not null as "isLeased" from mail_queue order by id`;
  return rows.map(({ isLeased }) => isLeased);
}

function runnerOf(run: (item: Lease, signal: AbortSignal) => Promise<void>, queue = QUEUE) {
  const log = pino({ level: 'silent' });
  return createLeaseRunner({ db, log, queue, lanes: [{ concurrency: 2 }], run, stopWithinMs: 0 });
}

const remove = async ({ id }: Lease) => {
  await db.sql`delete from mail_queue where id = ${id}`;
};

test('leases of a killed process are released at the next start on the embedded database, but not on PostgreSQL', async () => {
  await queueMails('left@example.org', 'new@example.org');
  expect(await leaseDue(db, QUEUE, { limit: 1 })).toHaveLength(1);
  await db.sql`update mail_queue set leased_until = now() + interval '1 hour' where lease is not null`;
  const runner = runnerOf(remove);
  runner.start();
  await expect.poll(readLeased).toEqual(db.kind === 'embedded' ? [] : [true]);
  await runner.stop();
});

test('a row whose work fails unexpectedly waits until its lease expires and does not delay other rows', async () => {
  await queueMails('fails@example.org', 'one@example.org', 'two@example.org', 'three@example.org');
  let runs = 0;
  await runnerOf(async (item) => {
    runs += 1;
    if (runs === 1) throw new Error('The database is away');
    await remove(item);
  }).runDue();
  expect(runs).toBe(4);
  expect(await readLeased()).toEqual([true]);
  await db.sql`update mail_queue set leased_until = now() - interval '1 second'`;
  await runnerOf(remove).runDue();
  expect(await readLeased()).toEqual([]);
});

test('rows are leased again after an error, even while other work hangs', async () => {
  await queueMails('hangs@example.org', 'one@example.org', 'two@example.org');
  const hanging = Promise.withResolvers<void>();
  let runs = 0;
  let failures = 0;
  const runner = runnerOf(async (item) => {
    runs += 1;
    if (runs === 1) await hanging.promise;
    if (runs === 2) {
      const spy = vi.spyOn(db.sql, 'unsafe').mockImplementationOnce(() => {
        failures += 1;
        spy.mockRestore();
        throw new Error('The database is away');
      });
    }
    await remove(item);
  });
  runner.wake();
  await expect.poll(() => failures).toBe(1);
  runner.wake();
  await expect.poll(readLeased).toEqual([true]);
  hanging.resolve();
  await runner.stop();
  expect(await readLeased()).toEqual([]);
});

test('work is aborted when its lease is lost', async () => {
  await queueMails('lost@example.org');
  let reason: unknown;
  const runner = runnerOf(
    async (_, signal) => {
      await db.sql`update mail_queue set lease = gen_random_uuid()`;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ({ reason } = signal);
    },
    { ...QUEUE, leaseS: 0.9 },
  );
  await runner.runDue();
  expect(reason).toBeInstanceOf(HaltError);
});
