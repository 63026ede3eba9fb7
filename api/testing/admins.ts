import { setTimeout as sleep } from 'node:timers/promises';
import { JOBS_OF_ADMIN_MAX } from '#shared/admin/constants.ts';
import type { AuditAction, Job, ReportAuditAction } from '#shared/admin/schema.ts';
import { encodeForm, makeImage } from './poll-factory.ts';
import type { TestApp, TestUser } from './test-app.ts';
import type { TestClient } from './test-client.ts';

/** Signs up a new administrator; returns the client that is logged in as them. */
export async function signUpAdmin(
  app: Pick<TestApp, 'db' | 'signUp'>,
  fields?: Parameters<TestApp['signUp']>[0],
): Promise<TestUser> {
  const admin = await app.signUp(fields);
  await app.db.sql`update users set is_admin = true where id = ${admin.user.id}`;
  return admin;
}

/** The audit entries about `target` (see `recordAudit`), such as "user 104", oldest first. */
export async function auditOf({ db }: Pick<TestApp, 'db'>, target: string) {
  return [
    ...(await db.sql<{ adminId: number | null; action: AuditAction | ReportAuditAction }[]>`
      select admin_id as "adminId", action from audit_entries where target = ${target} order by id`),
  ];
}

/** Sends `POST /api/admin/generate-polls`. */
export function postGeneratePolls(admin: TestClient, input: unknown, headers: Record<string, string> = {}) {
  return admin.post('/api/admin/generate-polls', input, headers);
}

/** Sends `POST /api/admin/bulk-upload` with these files, by name. */
export async function postBulkUpload(
  admin: TestClient,
  files: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[],
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of files) form.append('images', new Blob([bytes]), name);
  const encoded = await encodeForm(form);
  return admin.request('/api/admin/bulk-upload', {
    method: 'POST',
    body: encoded.body,
    headers: { ...encoded.headers, ...headers },
  });
}

/** Queues jobs of an administrator that are never due. */
export async function fillJobs({ db }: Pick<TestApp, 'db'>, adminId: number, count: number): Promise<void> {
  await db.sql`
    insert into admin_jobs (id, kind, admin_id, input, total, next_attempt_at)
    select gen_random_uuid(), 'generate-polls', ${adminId}, '{"count":1}', 1, 'infinity'
    from generate_series(1, ${count}::int)`;
}

/** Calls `start` while an administrator has the maximum of unfinished jobs. */
export async function atJobLimit(
  app: Pick<TestApp, 'db'>,
  { user }: TestUser,
  start: () => Response | Promise<Response>,
): Promise<Response> {
  await fillJobs(app, user.id, JOBS_OF_ADMIN_MAX);
  const response = await start();
  await app.db.sql`delete from admin_jobs where next_attempt_at = 'infinity'`;
  return response;
}

/** The files of a bulk upload of one poll. */
export async function twoImages() {
  const bytes = await makeImage('#ff0000');
  return [['a.jpg', bytes] as const, ['b.jpg', bytes] as const];
}

/** Fetches a job again and again until `isReached` is true for it, and returns it. */
export async function waitForJob(
  admin: TestClient,
  id: string,
  isReached: (job: Job) => boolean,
): Promise<Job> {
  for (;;) {
    const job: Job = await (await admin.get(`/api/admin/jobs/${id}`)).json();
    if (isReached(job)) return job;
    await sleep(20);
  }
}
