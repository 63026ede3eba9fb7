import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { makeImage, openPoll } from '#api/testing/poll-factory.ts';
import { createResponseCheck, randomRequests } from '#api/testing/random-requests.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';
import type { OpenApiDocument } from './build-document.ts';

/**
 * Too few to reach the expensive calls, which are drawn rarely; `npm run test:hard` sends more, to every call, with another seed
 * each time.
 */
const REQUESTS = 400;
const SEED = 20_261_123;

const app = await createTestApp();
const document: OpenApiDocument = await (await app.visitor().get('/api/openapi.json')).json();

test('random requests get documented responses that match their schemas', async () => {
  const [user, admin] = [await app.signUp(), await signUpAdmin(app)];
  const poll = await openPoll(app, await app.signUp());
  const images = await Promise.all(['#c00', '#00c'].map(makeImage));
  const check = createResponseCheck(document);
  // No user has the id 4000. With the id of a user, a request could delete or suspend a user who sends later requests.
  const requestArbitrary = randomRequests(document, { ids: [poll.id, '4000'], images });
  const requests = fc.sample(requestArbitrary, { numRuns: REQUESTS, seed: SEED });
  const problems: string[] = [];
  const deletedPollIds: string[] = [];
  for (const { call, role, method, path, headers, body } of requests) {
    // A new client each time, and logouts without a session, so that no request ends a session that later requests need.
    const client = new TestClient(app.app, app.deps.env.publicUrl);
    const loggedIn = { visitor: null, user, admin }[role];
    if (loggedIn !== null && path !== '/api/logout')
      for (const [name, value] of loggedIn.cookies) client.cookies.set(name, value);
    const response = await client.request(path, { method, headers, body });
    const text = await response.text();
    if (method === 'DELETE' && path === `/api/admin/polls/${poll.id}` && response.ok)
      deletedPollIds.push(poll.id);
    const problem = check(call, {
      status: response.status,
      type: response.headers.get('Content-Type'),
      text,
    });
    if (problem !== null)
      problems.push(`${method} ${path} ${typeof body === 'string' ? body.slice(0, 200) : ''}: ${problem}`);
  }
  expect(problems).toEqual([]);
  expect(await violatedInvariants(app.db, deletedPollIds)).toEqual([]);
});
