import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, givePoints, pollForm, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { keyHeader } from '#api/testing/test-client.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db, deps } = app;

/** The effects of a maker's creations, after checking the invariants. */
async function checkedEffects(maker: TestUser) {
  expect(await violatedInvariants(db)).toEqual([]);
  return effectsOf(app, maker);
}

test('100 requests with one key create one poll with one debit, and all get the same response', async () => {
  const maker = await app.signUp();
  await givePoints(app, maker.user.id, 90);
  const key = randomUUID();
  const responses = await Promise.all(Array.from({ length: 100 }, () => postPoll(maker, {}, keyHeader(key))));
  expect(responses.filter(({ status }) => status !== 201)).toEqual([]);
  const bodies: MutationResponse[] = await Promise.all(responses.map((response) => response.json()));
  expect(bodies[0]?.user.points).toBe(90);
  expect(bodies).toEqual(bodies.map(() => bodies[0]));
  expect(await checkedEffects(maker)).toEqual({ polls: 1, points: 90, debits: 1, orphans: 0 });
});

test('one key sent to two processes creates one poll with one debit', async () => {
  const otherProcess = await createTestApp({ db, env: { dataDir: deps.env.dataDir } });
  const maker = await app.signUp();
  const clientOfOtherProcess = otherProcess.visitor();
  for (const [name, value] of maker.cookies) clientOfOtherProcess.cookies.set(name, value);
  for (let round = 1; round <= 5; round += 1) {
    await givePoints(app, maker.user.id, 20);
    const headers = keyHeader(randomUUID());
    const responses = await Promise.all(
      [maker, clientOfOtherProcess].map((client) => postPoll(client, {}, headers)),
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(await checkedEffects(maker)).toMatchObject({
      polls: round,
      points: 10 + round * 10,
      debits: round,
    });
  }
});

test('with 100 points, 10 of 200 polls for 10 points each are created', async () => {
  const maker = await app.signUp();
  await givePoints(app, maker.user.id, 90);
  const statuses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const responses = await Promise.all(
      Array.from({ length: 25 }, () => postPoll(maker, {}, keyHeader(randomUUID()))),
    );
    statuses.push(...responses.map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.filter((status) => status === 402)).toHaveLength(190);
  expect(await checkedEffects(maker)).toEqual({ polls: 10, points: 0, debits: 10, orphans: 0 });
});

test('one id from two users creates one poll, and only its maker is charged', async () => {
  const makers = [await app.signUp(), await app.signUp()];
  const id = randomUUID();
  const responses = await Promise.all(
    makers.map((maker) => postPoll(maker, { id }, keyHeader(randomUUID()))),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  const effects = await Promise.all(makers.map(checkedEffects));
  expect(effects.map(({ points }) => points).sort()).toEqual([0, 10]);
});

test('one id with many keys by one user creates one poll, which is then returned unchanged', async () => {
  const maker = await app.signUp();
  await givePoints(app, maker.user.id, 50);
  const id = randomUUID();
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => postPoll(maker, { id }, keyHeader(randomUUID()))),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 201]);
  expect(await checkedEffects(maker)).toEqual({ polls: 1, points: 50, debits: 1, orphans: 0 });
});

test('the multipart boundary is not part of the fingerprint', async () => {
  const maker = await app.signUp();
  const headers = keyHeader(randomUUID());
  const forms = [await pollForm(), await pollForm()];
  expect(new Set(forms.map((form) => form.headers['content-type'])).size).toBe(2);
  for (const form of forms) {
    const response = await maker.request('/api/questions', {
      method: 'POST',
      body: form.body,
      headers: { ...form.headers, ...headers },
    });
    expect(response.status).toBe(201);
  }
  expect(await checkedEffects(maker)).toMatchObject({ polls: 1, debits: 1 });
});

test('a transaction that fails leaves no rows and no files', async () => {
  const maker = await app.signUp();
  await db.sql`alter table poll_totals add constraint fails_on_purpose check (active < 0) not valid`;
  const response = await postPoll(maker, {}, keyHeader(randomUUID()));
  await db.sql`alter table poll_totals drop constraint fails_on_purpose`;
  expect(response.status).toBe(500);
  const receipts = await db.sql`select from mutation_receipts where user_id = ${maker.user.id}`;
  expect(receipts.count).toBe(0);
  expect(await checkedEffects(maker)).toEqual({ polls: 0, points: 10, debits: 0, orphans: 0 });
});
