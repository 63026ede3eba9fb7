import { expect, test, vi } from 'vitest';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { afterNextTransaction } from '#api/testing/database-hooks.ts';
import { damagedImages, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { mailTo } from '#api/testing/mails.ts';
import { addPasskey, authenticatorOf, enableSecondStep, loginOptions } from '#api/testing/passkeys.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { createTestApp, limitedClient, renewingHash, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { deps, db, signUp, visitor } = app;

const requestDeletion = (user: TestUser, polls: 'keep' | 'remove' = 'keep', password = user.password) =>
  user.post('/api/user/deletion', { password, polls });
const deletionOf = async (user: TestUser) => (await (await user.get('/api/user')).json()).deletion;
/** Makes the deletion of this user due, as if seven days had passed. */
const makeDeletionDue = ({ user }: TestUser) =>
  db.sql`update users set deletion_due_at = deletion_due_at - interval '7 days' where id = ${user.id}`;
const exists = async ({ user }: TestUser) =>
  (await db.sql`select from users where id = ${user.id}`).count === 1;
/** The ids of polls that a test has removed intentionally. */
const removedPollIds: string[] = [];
const expectIntactData = async () => {
  expect(await violatedInvariants(db, removedPollIds)).toEqual([]);
  expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
};

test('a deletion requested with the password is announced by mail and due in seven days', async () => {
  const account = await signUp();
  const refusal = await requestDeletion(account, 'keep', 'not this one');
  expect(refusal.status).toBe(403);
  expect(await refusal.json()).toMatchObject({
    code: 'wrong_password',
    issues: [{ path: 'password', message: 'This is not your current password' }],
  });
  expect(await deletionOf(account)).toBeUndefined();

  const response = await requestDeletion(account, 'remove');
  expect(response.status).toBe(200);
  const { deletion } = await response.json();
  expect(deletion.polls).toBe('remove');
  expect(Date.parse(deletion.dueAt) - Date.now()).toBeGreaterThan(7 * 86_400_000 - 60_000);
  expect(Date.parse(deletion.dueAt) - Date.now()).toBeLessThan(7 * 86_400_000 + 60_000);
  expect((await mailTo(app, account.user.email)).subject).toBe('Your account will be deleted');
});

test('the other devices of the user learn that a deletion was requested or cancelled', async () => {
  const account = await signUp();
  const publish = vi.spyOn(deps.live, 'publish');
  const requested = (await (await requestDeletion(account)).json()).rev;
  const cancelled = (await (await account.delete('/api/user/deletion')).json()).rev;
  const revs = publish.mock.calls.flatMap(([event]) => (event.type === 'user' ? event.rev : []));
  publish.mockRestore();
  expect(revs).toEqual([requested, cancelled]);
});

test('a deletion can be requested with a passkey instead of the password', async () => {
  const [user, other] = [await signUp(), await signUp()];
  const authenticator = authenticatorOf(app);
  const passkey = await addPasskey(user, authenticator);
  const foreignPasskey = await addPasskey(other, authenticator);
  const options = async (client = user) => (await client.post('/api/user/confirmation/options')).json();
  const send = (assertion: unknown) => user.post('/api/user/deletion', { passkey: assertion, polls: 'keep' });
  for (const invalidAssertion of [
    authenticator.use(await options(), foreignPasskey),
    authenticator.use(await options(other), passkey),
    authenticator.use(await loginOptions(user), passkey),
    authenticator.use(await options(), passkey, { origin: 'https://elsewhere.example' }),
  ]) {
    const response = await send(invalidAssertion);
    expect([response.status, (await response.json()).code]).toEqual([403, 'invalid_passkey']);
  }
  const withoutProof = await user.post('/api/user/deletion', { polls: 'keep' });
  expect([withoutProof.status, (await withoutProof.json()).code]).toEqual([403, 'wrong_password']);
  expect(await deletionOf(user)).toBeUndefined();

  const validAssertion = authenticator.use(await options(), passkey);
  const responses = await Promise.all([send(validAssertion), send(validAssertion)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  expect(await deletionOf(user)).toMatchObject({ polls: 'keep' });
});

test('a deletion can be requested while a login renews the hash of the password', async () => {
  const account = await signUp();
  const { client } = limitedClient(app, account, { passwords: renewingHash(app, account) });
  const request = { password: account.password, polls: 'keep' };
  expect((await client.post('/api/user/deletion', request)).status).toBe(200);
  expect(await deletionOf(account)).toMatchObject({ polls: 'keep' });
});

test('deleting an account deletes its passkeys, recovery codes and challenges', async () => {
  const account = await signUp();
  await addPasskey(account, authenticatorOf(app));
  await enableSecondStep(account);
  await account.post('/api/user/confirmation/options');
  await requestDeletion(account);
  await makeDeletionDue(account);
  await deleteDueAccounts(deps);
  for (const table of ['passkeys', 'recovery_codes', 'passkey_challenges']) {
    const rows = await db.sql`select from ${db.sql(table)} where user_id = ${account.user.id}`;
    expect([table, rows.count]).toEqual([table, 0]);
  }
});

test('a repeated request keeps the date and sends no second mail, but can change the choice for the polls', async () => {
  const account = await signUp();
  const firstDeletion = (await (await requestDeletion(account, 'remove')).json()).deletion;
  // A new date would differ from this one.
  await db.sql`update users set deletion_due_at = deletion_due_at - interval '1 day' where id = ${account.user.id}`;
  await Promise.all([requestDeletion(account), requestDeletion(account), requestDeletion(account)]);
  const { dueAt, polls } = await deletionOf(account);
  expect(Date.parse(firstDeletion.dueAt) - Date.parse(dueAt)).toBe(86_400_000);
  expect(polls).toBe('keep');
  const mails =
    await db.sql`select from mail_queue where user_id = ${account.user.id} and purpose = 'deletion'`;
  expect(mails.count).toBe(1);
});

test('a deletion is not carried out before it is due, nor after it was cancelled; cancelling is idempotent', async () => {
  const user = await signUp();
  await requestDeletion(user);
  await deleteDueAccounts(deps);
  expect(await exists(user)).toBe(true);
  for (const nth of [1, 2]) {
    const response = await user.delete('/api/user/deletion');
    expect([nth, response.status, (await response.json()).deletion]).toEqual([nth, 200, undefined]);
  }
  await makeDeletionDue(user);
  await deleteDueAccounts(deps);
  expect(await exists(user)).toBe(true);
});

test('a deletion that was cancelled before its mail was sent is not announced', async () => {
  const user = await signUp();
  await requestDeletion(user);
  expect((await user.delete('/api/user/deletion')).status).toBe(200);
  expect((await mailTo(app, user.user.email)).subject).toMatch(/^Confirm your email/);
});

test('deleting an account keeps its polls and votes, but no name, mail or token of the user', async () => {
  const [leaver, other] = [await signUp(), await signUp()];
  const leaverPoll = await openPoll(app, leaver, { question: 'Stay?' });
  const otherPoll = await openPoll(app, other);
  await postVote(leaver, otherPoll.id, 1);
  await postVote(other, leaverPoll.id, 2);
  // Sends the mail with the verification link, whose token is stored. The mail about the deletion remains in the queue.
  await deps.mails.runDue();
  const tokens = await db.sql`select from email_tokens where user_id = ${leaver.user.id}`;
  expect(tokens.count).toBe(1);
  await requestDeletion(leaver, 'keep');
  await makeDeletionDue(leaver);
  await deleteDueAccounts(deps);

  expect((await leaver.get('/api/user')).status).toBe(401);
  const anonymousPoll = await (await other.get(`/api/questions/${leaverPoll.id}`)).json();
  expect(anonymousPoll).toMatchObject({ question: 'Stay?', votesCount: 1 });
  expect(JSON.stringify(anonymousPoll)).not.toContain(leaver.user.username);
  expect(await (await other.get(`/api/questions/${otherPoll.id}`)).json()).toMatchObject({ votesCount: 1 });
  const [dump] = await db.sql<[{ rows: string }]>`
    select concat((select json_agg(u) from users u), (select json_agg(m) from mail_queue m),
      (select json_agg(t) from email_tokens t)) as rows`;
  expect(dump.rows).not.toContain(leaver.user.username);
  await expectIntactData();
  // The username is available again.
  expect((await signUp({ username: leaver.user.username })).user.id).not.toBe(leaver.user.id);
});

test('deleting an account removes its polls and their images if the user has chosen so', async () => {
  const [leaver, voter] = [await signUp(), await signUp()];
  const polls = [await openPoll(app, leaver), await openPoll(app, leaver)];
  const voterPoll = await openPoll(app, voter);
  for (const { id } of polls) await postVote(voter, id, 1);
  removedPollIds.push(...polls.map(({ id }) => id));
  const publish = vi.spyOn(deps.live, 'publish');
  await requestDeletion(leaver, 'remove');
  await makeDeletionDue(leaver);
  await deleteDueAccounts(deps);
  for (const { id } of polls) expect((await voter.get(`/api/questions/${id}`)).status).toBe(404);
  for (const { option1Image } of polls) expect((await visitor().get(option1Image)).status).toBe(404);
  expect((await voter.get(`/api/questions/${voterPoll.id}`)).status).toBe(200);
  const removedIds = publish.mock.calls.flatMap(([event]) =>
    event.type === 'poll.removed' ? [event.id] : [],
  );
  publish.mockRestore();
  expect(removedIds.toSorted()).toEqual(polls.map(({ id }) => id).toSorted());
  expect((await (await voter.get('/api/user')).json()).points).toBe(voter.user.points + 2);
  await expectIntactData();
});

test('an administrator’s deletion removes the polls and images if the user has chosen so', async () => {
  const [leaver, voter, admin] = [await signUp(), await signUp(), await signUpAdmin(app)];
  const poll = await openPoll(app, leaver);
  await postVote(voter, poll.id, 1);
  removedPollIds.push(poll.id);
  await requestDeletion(leaver, 'remove');
  const publish = vi.spyOn(deps.live, 'publish');
  expect((await admin.delete(`/api/admin/users/${leaver.user.id}`)).status).toBe(200);
  const events = publish.mock.calls.map(([event]) => event);
  publish.mockRestore();
  expect(events).toContainEqual({ type: 'poll.removed', id: poll.id });
  expect((await voter.get(`/api/questions/${poll.id}`)).status).toBe(404);
  for (const image of [poll.option1Image, poll.option2Image]) {
    expect((await visitor().get(image)).status).toBe(404);
  }
  await expectIntactData();
});

test('concurrent runs delete an account only once', async () => {
  const leaver = await signUp();
  const { id } = await openPoll(app, leaver);
  removedPollIds.push(id);
  const publish = vi.spyOn(deps.live, 'publish');
  await requestDeletion(leaver, 'remove');
  await makeDeletionDue(leaver);
  await Promise.all([deleteDueAccounts(deps), deleteDueAccounts(deps)]);
  expect(await exists(leaver)).toBe(false);
  const removals = publish.mock.calls.filter(([event]) => event.type === 'poll.removed' && event.id === id);
  publish.mockRestore();
  expect(removals).toHaveLength(1);
  await expectIntactData();
});

test('a deletion that is already due can be cancelled until it is carried out', async () => {
  const leaver = await signUp();
  await requestDeletion(leaver);
  await makeDeletionDue(leaver);
  const otherUser = await signUp();
  await requestDeletion(otherUser);
  await makeDeletionDue(otherUser);
  // The second user cancels their deletion just after the first account was deleted.
  const dbWithCancellation = afterNextTransaction(db, () => otherUser.delete('/api/user/deletion'));
  await deleteDueAccounts({ ...deps, db: dbWithCancellation });
  expect([await exists(leaver), await exists(otherUser)]).toEqual([false, true]);
});

test('a user who has become an administrator since the request is not deleted', async () => {
  const account = await signUp();
  await requestDeletion(account);
  await makeDeletionDue(account);
  await db.sql`update users set is_admin = true where id = ${account.user.id}`;
  await deleteDueAccounts(deps);
  expect(await exists(account)).toBe(true);
});

test('an account that cannot be deleted does not prevent other deletions', async () => {
  const [undeletableUser, leaver] = [await signUp(), await signUp()];
  for (const user of [undeletableUser, leaver]) {
    await requestDeletion(user);
    await makeDeletionDue(user);
  }
  await db.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'stuck'; end $$;
    create trigger refuse_deletion before delete on users for each row when (old.id = ${undeletableUser.user.id}) execute function refuse();`);
  await deleteDueAccounts(deps);
  expect([await exists(undeletableUser), await exists(leaver)]).toEqual([true, false]);
  await db.sql.unsafe('drop trigger refuse_deletion on users; drop function refuse');
  await deleteDueAccounts(deps);
  expect(await exists(undeletableUser)).toBe(false);
});

// The image files are then orphans, which the sweep removes later.
test('an account is deleted even if its images cannot be removed', async () => {
  const leaver = await signUp();
  removedPollIds.push((await openPoll(app, leaver)).id);
  await requestDeletion(leaver, 'remove');
  await makeDeletionDue(leaver);
  const images = { ...deps.images, remove: () => Promise.reject(new Error('disk')) };
  await deleteDueAccounts({ ...deps, images });
  expect(await exists(leaver)).toBe(false);
});

// The images of removed polls must not be shown. The server knows these images only as long as it has the rows of the polls.
test('an account is kept until the images of polls that an administrator has removed can be deleted', async () => {
  const { poll, maker } = await reportedPoll(app, 1);
  await decide(await signUpAdmin(app), poll.id, 'remove');
  removedPollIds.push(poll.id);
  await requestDeletion(maker, 'remove');
  await makeDeletionDue(maker);
  const images = { ...deps.images, remove: () => Promise.reject(new Error('disk')) };
  await deleteDueAccounts({ ...deps, images });
  expect(await exists(maker)).toBe(true);
  await deleteDueAccounts(deps);
  expect(await exists(maker)).toBe(false);
  expect((await visitor().get(poll.option1Image)).status).toBe(404);
});
