import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditAction, Job, ReportAuditAction } from '#shared/admin/schema.ts';
import type { TestApp, TestUser } from './test-app.ts';
import type { TestClient } from './test-client.ts';

/** A browser in which a new administrator is logged in. */
export async function signUpAdmin(
  app: Pick<TestApp, 'db' | 'signUp'>,
  fields?: Parameters<TestApp['signUp']>[0],
): Promise<TestUser> {
  const admin = await app.signUp(fields);
  await app.db.sql`update users set is_admin = true where id = ${admin.user.id}`;
  return admin;
}

/** What administrators have done to `target`, in order. */
export async function auditOf({ db }: Pick<TestApp, 'db'>, target: string) {
  return [
    ...(await db.sql<{ adminId: number | null; action: AuditAction | ReportAuditAction }[]>`
      select admin_id as "adminId", action from audit_entries where target = ${target} order by id`),
  ];
}

/** Sends `POST /api/admin/generate-polls`. */
export function generate(admin: TestClient, input: unknown, headers: Record<string, string> = {}) {
  return admin.post('/api/admin/generate-polls', input, headers);
}

/** Sends `POST /api/admin/bulk-upload` with these files, by name. */
export async function uploadBulk(
  admin: TestClient,
  files: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[],
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of files) form.append('images', new Blob([bytes]), name);
  const encoded = new Request('http://localhost', { method: 'POST', body: form });
  const type = encoded.headers.get('content-type') ?? '';
  return admin.request('/api/admin/bulk-upload', {
    method: 'POST',
    body: await encoded.arrayBuffer(),
    headers: { 'content-type': type, ...headers },
  });
}

/** The job once `isReached` says so of it. */
export async function jobWhen(admin: TestClient, id: string, isReached: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job: Job = await (await admin.get(`/api/admin/jobs/${id}`)).json();
    if (isReached(job)) return job;
    await sleep(20);
  }
}
