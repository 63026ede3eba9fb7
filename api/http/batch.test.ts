import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, pointsOf, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import {
  BATCH_MAX_REQUESTS,
  type BatchInput,
  type BatchResponse,
  batchResponseSchema,
} from '#shared/batch.ts';
import { SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';
import { sendBatch as batchCall } from '#shared/service/contract.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });

function voteOn(pollId: string, option: unknown = 1, key: string = randomUUID()) {
  return {
    method: 'POST' as const,
    path: `/api/questions/${pollId}/vote`,
    key,
    body: JSON.stringify({ option }),
  };
}

async function sendBatch(
  client: TestClient,
  requests: BatchInput['requests'],
  headers: Record<string, string> = {},
): Promise<BatchResponse['answers']> {
  const response = await client.post(batchCall.path, { requests }, headers);
  expect(response.status).toBe(200);
  return batchResponseSchema.parse(await response.json()).answers;
}

test('each vote of a batch gets the same response as a separate request', async () => {
  const voter = await app.signUp();
  const [firstPoll, secondPoll] = [await openPoll(app, maker), await openPoll(app, maker)];
  const ownPoll = await openPoll(app, voter);
  const before = await pointsOf(voter);
  const votes = [
    { pollId: firstPoll.id, option: 2 },
    { pollId: ownPoll.id, option: 1 },
    { pollId: randomUUID(), option: 1 },
    { pollId: secondPoll.id, option: 3 },
  ];
  const requests = votes.map(({ pollId, option }) => voteOn(pollId, option));
  const responses = await sendBatch(voter, [...requests, voteOn(secondPoll.id)]);

  expect(responses.map(({ status }) => status)).toEqual([200, 403, 404, 400, 200]);
  expect(responses.slice(0, 4).map(({ key }) => key)).toEqual(requests.map(({ key }) => key));
  expect(responses[0]?.body).toMatchObject({ poll: { id: firstPoll.id, votes: [{ option: 2 }] } });
  expect(responses[1]?.body).toMatchObject({ code: 'own_poll' });
  expect(await pointsOf(voter)).toBe(before + 2);
  for (const [index, { pollId, option }] of votes.entries()) {
    const separateResponse = await postVote(voter, pollId, option, requests[index]?.key);
    // Each error has its own id, and the second vote has earned another point.
    const { requestId: _, user: __, ...body } = await separateResponse.json();
    expect(separateResponse.status).toBe(responses[index]?.status);
    expect(responses[index]?.body).toMatchObject(body);
  }
});

test('each vote of two equal concurrent batches counts once', async () => {
  const voter = await app.signUp();
  const polls = await Promise.all(Array.from({ length: 5 }, () => openPoll(app, maker)));
  const requests = polls.map(({ id }) => voteOn(id));
  const batches = await Promise.all([sendBatch(voter, requests), sendBatch(voter, requests)]);
  for (const responses of batches)
    expect(responses.map(({ status }) => status)).toEqual(requests.map(() => 200));
  expect(await pointsOf(voter)).toBe(SIGNUP_BONUS_POINTS + polls.length);
  expect(await violatedInvariants(db)).toEqual([]);
});

test('calls about the same poll run in their order', async () => {
  const voter = await app.signUp();
  const polls = await Promise.all(Array.from({ length: 5 }, () => openPoll(app, maker)));
  const requests = polls.flatMap(({ id }) => [voteOn(id, 1), { ...voteOn(id, 2), method: 'PUT' as const }]);
  const responses = await sendBatch(voter, requests);
  expect(responses.map(({ status }) => status)).toEqual(requests.map(() => 200));
  expect(responses.map(({ key }) => key)).toEqual(requests.map(({ key }) => key));
  const rows = await db.sql`select option, changes from votes where user_id = ${voter.user.id}`;
  expect([...rows]).toEqual(polls.map(() => ({ option: 2, changes: 1 })));
});

test('no further call of a batch runs once the client has disconnected', async () => {
  const voter = await app.signUp();
  const device = new AbortController();
  const { client } = limitedClient(app, voter, {
    // A part of the statement that writes votes.
    db: afterStatement(db, 'target as (', async () => device.abort()),
  });
  const { id } = await openPoll(app, maker);
  const requests = [voteOn(id, 1), { ...voteOn(id, 2), method: 'PUT' as const }];
  const response = await client.request(batchCall.path, {
    method: 'POST',
    body: JSON.stringify({ requests }),
    headers: { 'Content-Type': 'application/json' },
    signal: device.signal,
  });
  expect(batchResponseSchema.parse(await response.json()).answers).toMatchObject([{ status: 200 }]);
  const rows = await db.sql`select option, changes from votes where user_id = ${voter.user.id}`;
  expect([...rows]).toEqual([{ option: 1, changes: 0 }]);
});

test('a batch for another user or another epoch has no effect', async () => {
  const voter = await app.signUp();
  const poll = await openPoll(app, maker);
  for (const headers of [{ 'X-Expected-User': '1' }, { 'X-Expected-Epoch': randomUUID() }]) {
    const response = await voter.post(batchCall.path, { requests: [voteOn(poll.id)] }, headers);
    expect([response.status, (await response.json()).code]).toEqual([409, 'actor_mismatch']);
  }
  expect(await pointsOf(voter)).toBe(SIGNUP_BONUS_POINTS);
});

test('each call in a visitor’s batch gets 401', async () => {
  const poll = await openPoll(app, maker);
  const [response] = await sendBatch(app.visitor(), [voteOn(poll.id)]);
  expect(response).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
});

test('rejects a batch that is empty, has more than fifty calls or a call that is not a vote', async () => {
  const voter = await app.signUp();
  const poll = await openPoll(app, maker);
  const withInvalidPath = [
    '/api/logout',
    batchCall.path,
    `/api/questions/${poll.id}/vote/../../../logout`,
    `https://example.org/api/questions/${poll.id}/vote`,
    `/api/questions/${poll.id}/vote?again`,
  ].map((path) => [{ ...voteOn(poll.id), path }]);
  const tooMany = Array.from({ length: BATCH_MAX_REQUESTS + 1 }, () => voteOn(poll.id));
  for (const requests of [...withInvalidPath, tooMany, []]) {
    const response = await voter.post(batchCall.path, { requests });
    expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_input']);
  }
  expect(await pointsOf(voter)).toBe(SIGNUP_BONUS_POINTS);
});

test('each vote of a batch counts against the limit of votes', async () => {
  const voter = await app.signUp();
  const { client, limits } = limitedClient(app, voter);
  const polls = await Promise.all(Array.from({ length: 3 }, () => openPoll(app, maker)));
  await useUp(limits.votes, voter.user.id, { callsLeft: 2 });
  const responses = await sendBatch(
    client,
    polls.map(({ id }) => voteOn(id)),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
});

test('each call of a batch counts against the general limit', async () => {
  const limited = await createTestApp({ rateLimits: true });
  const voter = await limited.signUp();
  const poll = await openPoll(limited, await limited.signUp());
  // Invalid, so that they count against the general limit only, which is reached in the 30th batch. The limit of votes counts
  // attempts with valid input.
  const invalidVotes = Array.from({ length: BATCH_MAX_REQUESTS }, () => voteOn(poll.id, 3));
  const statuses = new Set<number>();
  for (let index = 0; index < 40 && !statuses.has(429); index += 1) {
    const response = await voter.post(batchCall.path, { requests: invalidVotes });
    if (response.status === 429) break;
    const { answers }: BatchResponse = await response.json();
    for (const { status, retryAfter } of answers) {
      statuses.add(status);
      if (status === 429) expect(Number(retryAfter)).toBeGreaterThan(0);
    }
  }
  expect([...statuses]).toEqual([400, 429]);
});
