import { beforeAll, describe, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db } = app;

/** All calls for administrators, taken from the app's routes so that none can be forgotten. */
const CALLS = app.app.routes
  .filter(({ method, path }) => path.startsWith('/api/admin/') && method !== 'ALL')
  .map(({ method, path }): [method: string, path: string] => [method, path]);

let user: TestUser;
let victim: TestUser;
let pollId: string;

beforeAll(async () => {
  user = await app.signUp({ username: 'no.admin' });
  victim = await app.signUp({ username: 'victim' });
  pollId = (await openPoll(app, victim)).id;
});

function call(client: TestClient, method: string, path: string): Promise<Response> {
  const id = path.includes('/users/') ? String(victim.user.id) : pollId;
  const hasBody = method === 'POST' && path.endsWith('/generate-polls');
  return client.request(path.replace(':id', id), {
    method,
    ...(hasBody && {
      body: JSON.stringify({ count: 1 }),
      headers: { 'Content-Type': 'application/json' },
    }),
  });
}

/** What administrators can change. */
async function readState() {
  const [row] = await db.sql`
    select (select json_agg(users order by id) from users)::text as users,
      (select json_agg(polls order by id) from polls)::text as polls,
      (select count(*)::int from sessions) as sessions,
      (select count(*)::int from admin_jobs) as jobs,
      (select count(*)::int from report_decisions) as decisions,
      (select count(*)::int from audit_entries) as audit`;
  return { ...row };
}

test('the tested routes include the calls for administrators', () => {
  expect(CALLS.map((call) => call.join(' '))).toEqual(
    expect.arrayContaining([
      'GET /api/admin/check',
      'DELETE /api/admin/users/:id',
      'POST /api/admin/users/:id/suspend',
      'DELETE /api/admin/polls/:id',
      'GET /api/admin/overview',
      'GET /api/admin/audit',
    ]),
  );
});

describe.each(CALLS)('%s %s', (method, path) => {
  test('responds with 401 to visitors and 403 to users, and changes nothing', async () => {
    const before = await readState();
    const toVisitor = await call(app.visitor(), method, path);
    expect(toVisitor.status).toBe(401);
    expect(await toVisitor.json()).toMatchObject({ code: 'unauthenticated' });
    const toUser = await call(user, method, path);
    expect(toUser.status).toBe(403);
    expect(await toUser.json()).toMatchObject({
      code: 'not_admin',
      message: "You don't have administrator privileges",
    });
    expect(await readState()).toEqual(before);
  });
});

test.each(['/api/admin', '/api/admin/', '/api/admin/unknown', '/api/admin/users/1/unknown'])(
  '%s, which does not exist, responds with 401 to visitors, 403 to users and 404 only to administrators',
  async (path) => {
    const admin = await signUpAdmin(app);
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT']) {
      const statuses: number[] = [];
      for (const client of [app.visitor(), user, admin]) {
        statuses.push((await client.request(path, { method })).status);
      }
      expect(statuses).toEqual([401, 403, 404]);
    }
  },
);

test('administrator rights are read from the database with every request', async () => {
  const client = await app.signUp();
  const check = async () => (await client.get('/api/admin/check')).status;
  const change = ({ isAdmin, isSuspended }: { isAdmin: boolean; isSuspended: boolean }) =>
    db.sql`update users set is_admin = ${isAdmin}, is_suspended = ${isSuspended} where id = ${client.user.id}`;
  expect(await check()).toBe(403);
  await change({ isAdmin: true, isSuspended: false });
  expect(await check()).toBe(200);
  await change({ isAdmin: true, isSuspended: true });
  expect(await check()).toBe(401);
  await change({ isAdmin: false, isSuspended: false });
  expect(await check()).toBe(403);
});

test('the check confirms an administrator', async () => {
  const admin = await signUpAdmin(app);
  expect(await (await admin.get('/api/admin/check')).json()).toEqual({ isAdmin: true });
});

test('a cross-site request is refused and changes nothing', async () => {
  const admin = await signUpAdmin(app);
  const response = await admin.delete(`/api/admin/users/${victim.user.id}`, {
    'Sec-Fetch-Site': 'cross-site',
  });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 'bad_origin' });
  expect((await victim.get('/api/user')).status).toBe(200);
});
