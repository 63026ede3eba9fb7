import type { ReportAction } from '#shared/admin/schema.ts';
import { BLOCKS_MAX } from '#shared/reports/constants.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { openPoll } from './poll-factory.ts';
import type { TestApp, TestUser } from './test-app.ts';
import { keyHeader, type TestClient } from './test-client.ts';

/** Sends `POST /api/questions/{id}/report`. */
export function postReport(
  reporter: TestClient,
  pollId: string,
  input: { reason: ReportReason; text?: string } = { reason: 'spam' },
  key?: string,
): Promise<Response> {
  return reporter.post(`/api/questions/${pollId}/report`, input, keyHeader(key));
}

/** Sends `PUT /api/blocks/{username}`. */
export function putBlock(blocker: TestClient, username: string, key?: string): Promise<Response> {
  return blocker.put(`/api/blocks/${username}`, undefined, keyHeader(key));
}

/** Signs up a user who can block only `blocksLeft` more users. */
export async function atBlockLimit(app: TestApp, blocksLeft = 0): Promise<TestUser> {
  const blocker = await app.signUp();
  const { id } = blocker.user;
  await app.db.sql`
    with strangers as (
      insert into users (username, email, password_hash, referral_code)
      select 'stranger' || ${id}::text || '.' || n, 'stranger' || ${id}::text || '.' || n || '@example.org', '', ${id}::text || '.' || n
      from generate_series(1, ${BLOCKS_MAX - blocksLeft}::int) n returning id
    )
    insert into user_blocks (user_id, blocked_id) select ${id}, id from strangers`;
  return blocker;
}

/** Sends `POST /api/admin/reports/{id}`. */
export function decide(admin: TestClient, pollId: string, action: ReportAction): Promise<Response> {
  return admin.post(`/api/admin/reports/${pollId}`, { action });
}

/** Signs up a user with a verified address. */
export async function signUpVerified(app: TestApp): Promise<TestUser> {
  const account = await app.signUp();
  await app.db.sql`update users set is_verified = true where id = ${account.user.id}`;
  return account;
}

/** Creates a poll of a new maker, reported by `reportCount` new, verified users. */
export async function reportedPoll(app: TestApp, reportCount: number, reason: ReportReason = 'spam') {
  const maker = await app.signUp();
  const poll = await openPoll(app, maker);
  const reporters: TestUser[] = [];
  for (let index = 0; index < reportCount; index += 1) {
    const reporter = await signUpVerified(app);
    await postReport(reporter, poll.id, { reason });
    reporters.push(reporter);
  }
  return { maker, poll, reporters };
}
