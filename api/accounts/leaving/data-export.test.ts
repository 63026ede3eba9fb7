import { mkdir, readdir, truncate, utimes } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { addPasskey, authenticatorOf, enableSecondStep } from '#api/testing/passkeys.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { HOUR_MS } from '#shared/time.ts';
import { exportPath, exportsFolder, sweepExports } from './export-files.ts';
import { createExportRunner } from './export-runner.ts';

const app = await createTestApp();
const { deps, db, signUp, visitor } = app;
const { dataDir } = deps.env;

beforeAll(() => mkdir(exportsFolder(dataDir)));

const stateOf = async (user: TestUser) => (await user.get('/api/user/export')).json();
const exportIdOf = async ({ user }: TestUser): Promise<string> => {
  const [row] = await db.sql<{ id: string }[]>`select id from data_exports where user_id = ${user.id}`;
  return row?.id ?? '';
};

/** Makes an export due for its eighth attempt, which is its last. */
const makeLastAttemptDue = (id: string) =>
  db.sql`update data_exports set attempts = 7, next_attempt_at = now() where id = ${id}`;

async function downloadExport(user: TestUser): Promise<Record<string, Uint8Array>> {
  expect((await user.post('/api/user/export')).status).toBe(202);
  await deps.exports.runDue();
  const response = await user.get('/api/user/export/file');
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Disposition')).toContain('attachment');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(Number(response.headers.get('Content-Length'))).toBe(bytes.length);
  return unzipSync(bytes);
}

async function exportedData(user: TestUser): Promise<Record<string, unknown>> {
  const files = await downloadExport(user);
  return JSON.parse(strFromU8(files['data.json'] ?? new Uint8Array()));
}

describe('the export file', () => {
  test('contains the account, polls with images, votes, points and sessions, but no secrets', async () => {
    const maker = await signUp({ username: 'nina' });
    const voter = await signUp({ username: 'other_user' });
    const poll = await openPoll(app, maker, { question: 'Sea or mountains?' });
    const voterPoll = await openPoll(app, voter, { question: 'Tea or coffee?' });
    await maker.post(`/api/questions/${voterPoll.id}/vote`, { option: 2 });
    await addPasskey(maker, authenticatorOf(app), 'Nina’s phone');
    await enableSecondStep(maker);
    await app.db.sql`
      insert into notifications (user_id, kind, poll_id) values (${maker.user.id}, 'first_vote', ${poll.id})`;
    const files = await downloadExport(maker);
    const text = strFromU8(files['data.json'] ?? new Uint8Array());
    const data = JSON.parse(text);
    expect(data.account).toMatchObject({ username: 'nina', email: 'nina@example.org' });
    expect(data.polls).toMatchObject([{ id: poll.id, question: 'Sea or mountains?' }]);
    expect(data.votes).toMatchObject([{ pollId: voterPoll.id, question: 'Tea or coffee?', option: 2 }]);
    expect(data.points.map(({ reason }: { reason: string }) => reason)).toContain('vote');
    expect(data.notifications).toMatchObject([{ kind: 'first_vote', pollId: poll.id, readAt: null }]);
    expect(data.sessions).toMatchObject([{ device: expect.any(String), network: '127.0' }]);
    expect(data.account.secondStep).toBe(true);
    expect(data.passkeys).toEqual([
      { name: 'Nina’s phone', isBackedUp: false, createdAt: expect.any(String), lastUsedAt: null },
    ]);
    expect(data.unusedRecoveryCodes).toHaveLength(10);
    const images = Object.keys(files).filter((name) => name.startsWith('images/'));
    expect(images.map((name) => name.replace('images/', '/uploads/')).sort()).toEqual(
      [data.polls[0].option1.image, data.polls[0].option2.image].sort(),
    );
    for (const name of images) expect(strFromU8(files[name]?.slice(8, 12) ?? new Uint8Array())).toBe('WEBP');
    expect(text).not.toMatch(/\$2b\$|hash|token|other_user/i);
  });

  test('contains the decisions of administrators about polls and reports', async () => {
    const { poll, maker, reporters } = await reportedPoll(app, 1, 'nudity');
    const [reporter = maker] = reporters;
    await decide(await signUpAdmin(app), poll.id, 'remove');
    expect(await exportedData(maker)).toMatchObject({
      polls: [{ id: poll.id, removedRule: 'nudity', removedAt: expect.any(String) }],
      notifications: [{ kind: 'removed', pollId: poll.id, rule: 'nudity' }],
    });
    expect(await exportedData(reporter)).toMatchObject({
      reports: [{ pollId: poll.id, reason: 'nudity', verdict: 'upheld', decidedAt: expect.any(String) }],
      notifications: [{ kind: 'report_resolved', pollId: poll.id, verdict: 'upheld' }],
    });
  });

  test('contains votes on removed and hidden polls without the question', async () => {
    const [maker, voter] = [await signUp(), await signUp()];
    const [removed, hidden] = [await openPoll(app, maker), await openPoll(app, maker)];
    for (const { id } of [removed, hidden]) await voter.post(`/api/questions/${id}/vote`, { option: 1 });
    await db.sql`update polls set active = false, active_before = true, removed_at = now(), removed_rule = 'nudity' where id = ${removed.id}`;
    await db.sql`update polls set active = false, active_before = true, hidden_at = now() where id = ${hidden.id}`;
    expect(await exportedData(voter)).toMatchObject({
      votes: [
        { pollId: hidden.id, question: null, option: 1 },
        { pollId: removed.id, question: null, option: 1 },
      ],
    });
  });

  test('contains the data of every table that refers to users, except for the listed tables', async () => {
    const data = await exportedData(await signUp());
    const exported = {
      users: ['account', 'referredAccounts'],
      polls: ['polls'],
      votes: ['votes'],
      point_entries: ['points'],
      notifications: ['notifications'],
      push_subscriptions: ['pushSubscriptions'],
      sessions: ['sessions'],
      passkeys: ['passkeys'],
      recovery_codes: ['unusedRecoveryCodes'],
      poll_reports: ['reports'],
      user_blocks: ['blocked'],
    };
    const notExported = {
      passkey_challenges: 'a secret for five minutes',
      email_tokens: 'secrets for some days',
      mail_queue: 'mails that are about to be sent',
      mutation_receipts: 'digests of requests whose effects are exported',
      data_exports: 'the export itself',
      admin_jobs: 'work for the installation',
      audit_entries: 'records of the installation',
      report_decisions: 'records of the installation',
    };
    expect(Object.keys(data).toSorted()).toEqual(Object.values(exported).flat().toSorted());
    const tables = await db.sql<{ name: string }[]>`
      select distinct conrelid::regclass::text as name from pg_constraint
      where contype = 'f' and confrelid in ('users'::regclass, 'sessions'::regclass)`;
    expect(tables.map(({ name }) => name).toSorted()).toEqual(
      [...Object.keys(exported), ...Object.keys(notExported)].toSorted(),
    );
  });

  test('omits images that are missing on the server', async () => {
    const maker = await signUp();
    await openPoll(app, maker);
    await db.sql`update polls set option1_image = ${`/uploads/${'0'.repeat(32)}.webp`} where user_id = ${maker.user.id}`;
    expect(Object.keys(await downloadExport(maker)).toSorted()).toEqual([
      'data.json',
      expect.stringMatching(/^images\//),
    ]);
  });

  test('can be downloaded only by its user', async () => {
    const [user, other] = [await signUp(), await signUp()];
    await downloadExport(user);
    expect((await other.get('/api/user/export/file')).status).toBe(404);
    expect((await visitor().get('/api/user/export/file')).status).toBe(401);
  });
});

test('a HEAD request for the file leaves no file descriptor open', async () => {
  const user = await signUp();
  await downloadExport(user);
  // Larger than the amount that a stream reads ahead.
  await truncate(exportPath(dataDir, await exportIdOf(user)), 1_000_000);
  const openBefore = (await readdir('/dev/fd')).length;
  for (let index = 0; index < 50; index += 1) {
    expect((await user.request('/api/user/export/file', { method: 'HEAD' })).status).toBe(200);
  }
  expect((await readdir('/dev/fd')).length).toBeLessThan(openBefore + 25);
});

test('concurrent requests create one file, and a later request replaces that file', async () => {
  const user = await signUp();
  const filesBefore = await readdir(exportsFolder(dataDir));
  const responses = await Promise.all([1, 2, 3].map(() => user.post('/api/user/export')));
  expect(responses.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(await stateOf(user)).toEqual({ state: 'waiting', percent: 0 });
  expect((await user.get('/api/user/export/file')).status).toBe(404);
  await deps.exports.runDue();
  const firstId = await exportIdOf(user);
  expect(await readdir(exportsFolder(dataDir))).toHaveLength(filesBefore.length + 1);
  expect(await stateOf(user)).toMatchObject({ state: 'ready', bytes: expect.any(Number) });
  await downloadExport(user);
  expect(await exportIdOf(user)).not.toBe(firstId);
  expect(await readdir(exportsFolder(dataDir))).not.toContain(`${firstId}.zip`);
});

test('an export can be downloaded for 24 hours, and its file is removed after its row', async () => {
  const user = await signUp();
  await downloadExport(user);
  const id = await exportIdOf(user);
  await db.sql`update data_exports set ended_at = now() - interval '23 hours 59 minutes' where id = ${id}`;
  expect((await user.get('/api/user/export/file')).status).toBe(200);
  await db.sql`update data_exports set ended_at = now() - interval '24 hours 1 second' where id = ${id}`;
  expect((await user.get('/api/user/export/file')).status).toBe(404);
  expect(await stateOf(user)).toEqual({ state: 'none' });

  // The sweep spares files that have been written in the last hour.
  const longAgo = new Date(Date.now() - 2 * HOUR_MS);
  await utimes(exportPath(dataDir, id), longAgo, longAgo);
  await sweepExports(dataDir, db);
  expect(await readdir(exportsFolder(dataDir))).toContain(`${id}.zip`);
  await db.sql`delete from data_exports where id = ${id}`;
  await sweepExports(dataDir, db);
  expect(await readdir(exportsFolder(dataDir))).not.toContain(`${id}.zip`);
});

test('an export fails after eight attempts in which its process was killed', async () => {
  const user = await signUp();
  await user.post('/api/user/export');
  const id = await exportIdOf(user);
  await db.sql`
    update data_exports set attempts = 7, lease = gen_random_uuid(), leased_until = now() - interval '1 second'
    where id = ${id}`;
  await deps.exports.runDue();
  expect(await stateOf(user)).toEqual({ state: 'failed' });
});

test('an export whose process was killed is completed by another process', async () => {
  const user = await signUp();
  await user.post('/api/user/export');
  const id = await exportIdOf(user);
  await db.sql`
    update data_exports set lease = gen_random_uuid(), leased_until = now() + interval '1 second' where id = ${id}`;
  await deps.exports.runDue();
  expect(await stateOf(user)).toMatchObject({ state: 'waiting' });
  await db.sql`update data_exports set leased_until = now() - interval '1 second' where id = ${id}`;
  await deps.exports.runDue();
  expect(await stateOf(user)).toMatchObject({ state: 'ready' });
});

test('an export that cannot be written is retried, and fails after the eighth attempt', async () => {
  const user = await signUp();
  await user.post('/api/user/export');
  const id = await exportIdOf(user);
  // Writing fails because a folder has the name of the file.
  await mkdir(exportPath(dataDir, id));
  await deps.exports.runDue();
  expect(await stateOf(user)).toMatchObject({ state: 'waiting' });
  await makeLastAttemptDue(id);
  await deps.exports.runDue();
  expect(await stateOf(user)).toEqual({ state: 'failed' });
  expect(await readdir(exportsFolder(dataDir))).toEqual(
    expect.not.arrayContaining([expect.stringMatching(`^${id}[.]zip[.]`)]),
  );
  expect((await user.get('/api/user/export/file')).status).toBe(404);
  expect((await user.post('/api/user/export')).status).toBe(202);
});

/** An export runner that calls `meanwhile` while it reads the data of the user, before it writes the file. */
function exportRunnerWith(meanwhile: () => Promise<unknown>) {
  const { log, images } = deps;
  return createExportRunner({
    db: afterStatement(db, 'from "point_entries"', meanwhile),
    log,
    images,
    dataDir,
  });
}

test('no file remains if the user is deleted while the export is made', async () => {
  const account = await signUp();
  await account.post('/api/user/export');
  const id = await exportIdOf(account);
  const deleteUser = () => db.sql`delete from users where id = ${account.user.id}`;
  await exportRunnerWith(deleteUser).runDue();
  expect((await readdir(exportsFolder(dataDir))).filter((name) => name.startsWith(id))).toEqual([]);
});

test('a process that has lost the lease of an export leaves the file of the process that completed the export', async () => {
  const user = await signUp();
  await user.post('/api/user/export');
  const id = await exportIdOf(user);
  const completeElsewhere = async () => {
    await db.sql`update data_exports set leased_until = now() - interval '1 second' where id = ${id}`;
    await deps.exports.runDue();
  };
  await exportRunnerWith(completeElsewhere).runDue();
  expect(await stateOf(user)).toMatchObject({ state: 'ready' });
  expect((await user.get('/api/user/export/file')).status).toBe(200);
});

test('the file is deleted with the account, whether by the user or by an administrator', async () => {
  const [leavingUser, deletedUser] = [await signUp(), await signUp()];
  const admin = await signUpAdmin(app);
  const files: string[] = [];
  for (const user of [leavingUser, deletedUser]) {
    await downloadExport(user);
    files.push(`${await exportIdOf(user)}.zip`);
  }
  expect(await readdir(exportsFolder(dataDir))).toEqual(expect.arrayContaining(files));
  await db.sql`update users set deletion_due_at = now(), deletion_polls = 'keep' where id = ${leavingUser.user.id}`;
  await deleteDueAccounts(deps);
  expect((await admin.delete(`/api/admin/users/${deletedUser.user.id}`)).status).toBe(200);
  for (const file of files) expect(await readdir(exportsFolder(dataDir))).not.toContain(file);
});

test('a rate-limited user gets no new export, but still the one in progress', async () => {
  const account = await signUp();
  const { client, limits } = limitedClient(app, account);
  await useUp(limits.exportsOfUser, account.user.id, { callsLeft: 1 });
  expect((await client.post('/api/user/export')).status).toBe(202);
  expect((await client.post('/api/user/export')).status).toBe(202);
  await deps.exports.runDue();
  const limited = await client.post('/api/user/export');
  expect(limited.status).toBe(429);
  expect(await stateOf(account)).toMatchObject({ state: 'ready' });
});
