import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deleteRemovedPolls } from '#api/housekeeping/housekeeping.ts';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { mailTo } from '#api/testing/mails.ts';
import { FILES_PER_POLL, openPoll, postVote } from '#api/testing/poll-factory.ts';
import { decide, postReport, reportedPoll, signUpVerified } from '#api/testing/reports.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { SUSPENSION_EXPLANATION } from '#shared/accounts/constants.ts';
import type { ReportsPage } from '#shared/admin/schema.ts';
import { REPORTS_TO_HIDE } from '#shared/reports/constants.ts';

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);

/** The ids of polls that tests have deleted. */
const deletedPollIds: string[] = [];

const listReports = async (query = ''): Promise<ReportsPage> =>
  (await admin.get(`/api/admin/reports${query}`)).json();
const isListed = async (id: string) =>
  (await listReports('?limit=100')).reports.some((report) => report.id === id);
const statusFor = async (viewer: TestClient, id: string) => (await viewer.get(`/api/questions/${id}`)).status;

/** Makes the mail about a removal due: it is delayed until the decision can no longer be undone. */
const makeMailDue = (pollId: string) =>
  db.sql`update mail_queue set next_attempt_at = now() where poll_id = ${pollId}`;

/** The status of a response, and its error code or, without an error, its message. */
async function statusAndCodeOf(response: Promise<Response>): Promise<[number, string]> {
  const { status } = await response;
  const { message, code = message } = await (await response).json();
  return [status, code];
}

describe('reported polls', () => {
  test('are listed once each, most reported first, with reasons, texts and maker', async () => {
    const { poll, maker } = await reportedPoll(app, 2);
    await postReport(await app.signUp(), poll.id, { reason: 'other', text: 'Look at the link.' });
    const { poll: second } = await reportedPoll(app, 1, 'hate');
    const { reports, pagination, open } = await listReports('?limit=1');
    expect(reports).toMatchObject([
      {
        id: poll.id,
        poll: { id: poll.id, question: poll.question },
        maker: { id: maker.user.id, polls: 1, removedPolls: 0, isSuspended: false, isProtected: false },
        reports: 3,
        reasons: [
          { reason: 'spam', count: 2 },
          { reason: 'other', count: 1 },
        ],
        texts: ['Look at the link.'],
        isHidden: false,
        decision: null,
      },
    ]);
    expect([pagination.pages, pagination.total, open]).toEqual([2, 2, 2]);
    expect((await listReports('?limit=1&page=2')).reports).toMatchObject([{ id: second.id }]);
    expect((await (await (await app.signUp()).get('/api/admin/reports')).json()).code).toBe('not_admin');
  });

  test('remain listed while they are hidden, even if every report is taken back', async () => {
    const { poll, reporters } = await reportedPoll(app, REPORTS_TO_HIDE);
    for (const reporter of reporters) await reporter.delete(`/api/questions/${poll.id}/report`);
    expect((await listReports('?limit=100')).reports.find(({ id }) => id === poll.id)).toMatchObject({
      isHidden: true,
      reports: 0,
    });
    expect(await statusAndCodeOf(decide(admin, poll.id, 'keep'))).toEqual([200, 'Poll kept']);
    expect(await statusFor(reporters[0] ?? admin, poll.id)).toBe(200);
  });
});

describe('keeping a reported poll', () => {
  test('shows the poll again if it was hidden, and dismisses its reports', async () => {
    const { poll, reporters } = await reportedPoll(app, REPORTS_TO_HIDE);
    const stranger = await app.signUp();
    expect(await statusFor(stranger, poll.id)).toBe(404);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await statusAndCodeOf(decide(admin, poll.id, 'keep'))).toEqual([200, 'Poll kept']);
    }
    expect(await statusFor(stranger, poll.id)).toBe(200);
    // Its reporters still do not see it.
    expect(await statusFor(reporters[0] ?? admin, poll.id)).toBe(404);
    expect(await isListed(poll.id)).toBe(false);
    expect((await listReports('?state=done')).reports[0]).toMatchObject({
      id: poll.id,
      reports: REPORTS_TO_HIDE,
      decision: { action: 'keep', rule: null, admin: admin.user.username },
    });
    expect(await auditOf(app, `poll ${poll.id}`)).toEqual([
      { adminId: admin.user.id, action: 'report.keep' },
    ]);
    // Users whose reports were dismissed cannot reopen the case.
    for (const reporter of reporters) {
      await reporter.delete(`/api/questions/${poll.id}/report`);
      await postReport(reporter, poll.id);
    }
    expect(await isListed(poll.id)).toBe(false);
    await postReport(await app.signUp(), poll.id);
    expect(await isListed(poll.id)).toBe(true);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });
});

describe('removing a reported poll', () => {
  test('notifies its maker of the broken rule, and deletes the poll after 30 days', async () => {
    const { poll, maker } = await reportedPoll(app, 2, 'nudity');
    await db.sql`update users set is_verified = true where id = ${maker.user.id}`;
    const voter = await app.signUp();
    await postVote(voter, poll.id, 1);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await statusAndCodeOf(decide(admin, poll.id, 'remove'))).toEqual([200, 'Poll removed']);
    }
    for (const viewer of [voter, maker, admin]) expect(await statusFor(viewer, poll.id)).toBe(404);
    expect((await (await voter.get('/api/questions?limit=100')).text()).includes(poll.id)).toBe(false);
    expect(await (await maker.get('/api/user/questions')).json()).toMatchObject([
      { id: poll.id, removedFor: 'nudity', status: 'inactive' },
    ]);
    expect(await auditOf(app, `poll ${poll.id}`)).toEqual([
      { adminId: admin.user.id, action: 'report.remove' },
    ]);
    const repeatedVote = await postVote(voter, poll.id, 1);
    expect([repeatedVote.status, (await repeatedVote.json()).poll]).toEqual([200, null]);
    expect(await statusAndCodeOf(postVote(await app.signUp(), poll.id, 1))).toEqual([404, 'not_found']);

    await makeMailDue(poll.id);
    const mail = await mailTo(app, maker.user.email);
    expect(mail.subject).toBe('Your poll on This or That? was removed');
    expect(mail.text).toContain('It broke a rule: no nudity.');

    const filesBefore = (await storedFiles(uploadsFolder(deps))).length;
    await db.sql`update polls set removed_at = now() - interval '29 days' where id = ${poll.id}`;
    await deleteRemovedPolls(deps);
    expect((await db.sql`select from polls where id = ${poll.id}`).count).toBe(1);
    await db.sql`update polls set removed_at = now() - interval '31 days' where id = ${poll.id}`;
    const images = { ...deps.images, remove: () => Promise.reject(new Error('storage unavailable')) };
    await expect(deleteRemovedPolls({ db, images })).rejects.toThrow('storage unavailable');
    expect((await db.sql`select from polls where id = ${poll.id}`).count).toBe(1);
    await deleteRemovedPolls(deps);
    expect((await db.sql`select from polls where id = ${poll.id}`).count).toBe(0);
    deletedPollIds.push(poll.id);
    // The files are deleted at once, not by the sweep.
    expect((await storedFiles(uploadsFolder(deps))).length).toBe(filesBefore - FILES_PER_POLL);
    expect((await app.visitor().get(poll.option1Image)).status).toBe(404);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('sends no mail to an email that is not verified', async () => {
    const { poll, maker } = await reportedPoll(app, 1);
    await decide(admin, poll.id, 'remove');
    await makeMailDue(poll.id);
    const mail = await mailTo(app, maker.user.email);
    expect(mail.subject).toBe('Confirm your email for This or That?');
  });

  test('while another administrator keeps it succeeds for only one of them', async () => {
    const { poll } = await reportedPoll(app, REPORTS_TO_HIDE);
    const otherAdmin = await signUpAdmin(app);
    const responses = await Promise.all([
      statusAndCodeOf(decide(admin, poll.id, 'remove')),
      statusAndCodeOf(decide(otherAdmin, poll.id, 'keep')),
    ]);
    expect(responses.map(([status]) => status).toSorted()).toEqual([200, 409]);
    expect(responses.find(([status]) => status === 409)?.[1]).toBe('already_decided');
    expect(await auditOf(app, `poll ${poll.id}`)).toHaveLength(1);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('twice concurrently is recorded once', async () => {
    const { poll } = await reportedPoll(app, 1);
    const responses = await Promise.all([1, 2].map(() => decide(admin, poll.id, 'remove')));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await auditOf(app, `poll ${poll.id}`)).toHaveLength(1);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });
});

describe('suspending the maker of a reported poll', () => {
  test('removes the poll, ends the maker’s sessions, and mails the maker which rule was broken', async () => {
    const { poll, maker } = await reportedPoll(app, 1, 'hate');
    await db.sql`update users set is_verified = true where id = ${maker.user.id}`;
    const expectedMessage = `${maker.user.username} is suspended`;
    expect(await statusAndCodeOf(decide(admin, poll.id, 'suspend'))).toEqual([200, expectedMessage]);
    expect((await decide(admin, poll.id, 'suspend')).status).toBe(200);
    expect((await maker.get('/api/user')).status).toBe(401);
    expect(await statusFor(await app.signUp(), poll.id)).toBe(404);
    expect(await auditOf(app, `user ${maker.user.id}`)).toEqual([
      { adminId: admin.user.id, action: 'user.suspend' },
    ]);
    expect(await statusAndCodeOf(decide(admin, poll.id, 'undo'))).toEqual([409, 'too_late']);

    await makeMailDue(poll.id);
    const mail = await mailTo(app, maker.user.email);
    expect(mail.subject).toBe('Your account on This or That? is suspended');
    const login = { username: maker.user.username, password: maker.password };
    const { message } = await (await app.visitor().post('/api/login', login)).json();
    expect(message).toBe(`This account is suspended. ${SUSPENSION_EXPLANATION}`);
    for (const words of [
      'no hate. The poll was removed, and your account is suspended.',
      SUSPENSION_EXPLANATION,
    ]) {
      expect(mail.text).toContain(words);
      expect(mail.html).toContain(words);
    }
    expect(mail.text).not.toContain('My Polls');
  });

  test('changes nothing if the maker is protected or deleted', async () => {
    const protectedMaker = await signUpAdmin(app);
    const poll = await openPoll(app, protectedMaker);
    const reporter = await signUpVerified(app);
    await postReport(reporter, poll.id);
    expect(await statusAndCodeOf(decide(admin, poll.id, 'suspend'))).toEqual([403, 'protected_account']);
    expect(await isListed(poll.id)).toBe(true);
    const { poll: orphan, maker } = await reportedPoll(app, 1);
    await db.sql`delete from users where id = ${maker.user.id}`;
    expect(await statusAndCodeOf(decide(admin, orphan.id, 'suspend'))).toEqual([404, 'not_found']);
    expect((await listReports('?limit=100')).reports.find(({ id }) => id === orphan.id)).toMatchObject({
      maker: null,
    });
    expect(await statusAndCodeOf(decide(admin, orphan.id, 'remove'))).toEqual([200, 'Poll removed']);
  });
});

test('a decision about more or fewer reports than there are now is refused, unless the client does not send their number', async () => {
  const { poll } = await reportedPoll(app, 1);
  await postReport(await app.signUp(), poll.id, { reason: 'hate' });
  for (const action of ['keep', 'remove', 'suspend'] as const) {
    // The three may include ones about which another administrator has decided since.
    for (const reports of [1, 3]) {
      const response = admin.post(`/api/admin/reports/${poll.id}`, { action, reports });
      expect(await statusAndCodeOf(response)).toEqual([409, 'reports_changed']);
    }
  }
  expect((await listReports('?limit=100')).reports.find(({ id }) => id === poll.id)?.reports).toBe(2);
  expect(await auditOf(app, `poll ${poll.id}`)).toEqual([]);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const response = admin.post(`/api/admin/reports/${poll.id}`, { action: 'keep', reports: 2 });
    expect(await statusAndCodeOf(response)).toEqual([200, 'Poll kept']);
  }
  await decide(admin, poll.id, 'undo');
  expect(await statusAndCodeOf(decide(admin, poll.id, 'keep'))).toEqual([200, 'Poll kept']);
});

describe('undoing a decision', () => {
  test.each([
    ['to keep a hidden poll', 'keep', true],
    ['to remove a hidden poll', 'remove', true],
    ['to keep a visible poll', 'keep', false],
    ['to remove a visible poll', 'remove', false],
  ] as const)(
    '%s reopens its reports and announces the poll only if it is shown again',
    async (_decision, action, isHidden) => {
      const { poll, maker } = await reportedPoll(app, isHidden ? REPORTS_TO_HIDE : 1);
      const stranger = await app.signUp();
      const before = await statusFor(stranger, poll.id);
      await decide(admin, poll.id, action);
      const publish = vi.spyOn(deps.live, 'publish');
      onTestFinished(() => publish.mockRestore());
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect(await statusAndCodeOf(decide(admin, poll.id, 'undo'))).toEqual([200, 'Undone']);
      }
      expect(await isListed(poll.id)).toBe(true);
      const isShownAgain = action === 'remove' && !isHidden;
      expect(publish.mock.calls.filter(([{ type }]) => type === 'poll.created')).toEqual(
        isShownAgain ? [[{ type: 'poll.created', id: poll.id }]] : [],
      );
      expect(await statusFor(stranger, poll.id)).toBe(before);
      expect(await statusFor(maker, poll.id)).toBe(200);
      expect((await db.sql`select from mail_queue where poll_id = ${poll.id}`).count).toBe(0);
      expect((await auditOf(app, `poll ${poll.id}`)).map((entry) => entry.action)).toEqual([
        `report.${action}`,
        'report.undo',
      ]);
      expect(await statusAndCodeOf(decide(admin, poll.id, 'remove'))).toEqual([200, 'Poll removed']);
      expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
    },
  );

  test('is refused after ten seconds', async () => {
    const { poll } = await reportedPoll(app, 1);
    await decide(admin, poll.id, 'remove');
    await db.sql`
      update report_decisions set decided_at = decided_at - interval '12 seconds' where poll_id = ${poll.id}`;
    expect(await statusAndCodeOf(decide(admin, poll.id, 'undo'))).toEqual([409, 'too_late']);
    expect(await statusFor(await app.signUp(), poll.id)).toBe(404);
  });

  test('reopens no report that was taken back since the decision', async () => {
    const { poll, reporters } = await reportedPoll(app, 2);
    await decide(admin, poll.id, 'keep');
    await reporters[0]?.delete(`/api/questions/${poll.id}/report`);
    await decide(admin, poll.id, 'undo');
    expect((await listReports('?limit=100')).reports.find(({ id }) => id === poll.id)?.reports).toBe(1);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('keeps reports made since the decision', async () => {
    const { poll } = await reportedPoll(app, 1);
    await decide(admin, poll.id, 'keep');
    await postReport(await app.signUp(), poll.id, { reason: 'hate' });
    await decide(admin, poll.id, 'undo');
    expect((await listReports('?limit=100')).reports.find(({ id }) => id === poll.id)?.reports).toBe(2);
  });
});

test('a decision about an unknown poll or a poll without reports gets the error `not_found`', async () => {
  const poll = await openPoll(app, await app.signUp());
  for (const action of ['keep', 'remove', 'suspend'] as const) {
    expect(await statusAndCodeOf(decide(admin, poll.id, action))).toEqual([404, 'not_found']);
    expect(await statusAndCodeOf(decide(admin, randomUUID(), action))).toEqual([404, 'not_found']);
  }
});

test('an audit entry has the decision as `detail`, and as `action` the closest one that old clients know', async () => {
  const { poll } = await reportedPoll(app, 1);
  await decide(admin, poll.id, 'remove');
  const { entries } = await (await admin.get('/api/admin/audit')).json();
  expect(entries[0]).toMatchObject({
    action: 'poll.delete',
    detail: 'report.remove',
    target: `poll ${poll.id}`,
    targetName: poll.question,
  });
});
