import { describe, expect, test } from 'vitest';
import { signUpAdmin, uploadBulk } from '#api/testing/admins.ts';
import { makeImage, makePoll, openPoll, pollForm, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import * as accounts from '#shared/accounts/contract.ts';
import * as admin from '#shared/admin/contract.ts';
import { type Call, errorCodesOf } from '#shared/contract.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import * as polls from '#shared/polls/contract.ts';
import * as service from '#shared/service/contract.ts';

const CALLS: readonly Call[] = [accounts, polls, admin, service].flatMap((calls) =>
  Object.values<Call>({ ...calls }),
);
const nameOf = ({ method, path }: Call) => `${method} ${path}`;

const app = await createTestApp();
const user = await app.signUp();
const administrator = await signUpAdmin(app);
const suspended = await app.signUp();
await app.db.sql`update users set is_suspended = true where id = ${suspended.user.id}`;
const poll = await openPoll(app, await app.signUp());

const clientFor = ({ access }: Call) => (access === 'admin' ? administrator : user);

/** Sends `call` with a JSON body, to a poll that is there. */
function send(client: TestClient, call: Call, { json = {}, headers = {}, id = poll.id, query = '' } = {}) {
  const path = call.path.replaceAll(/\{\w+\}/g, id) + query;
  if (call.method === 'GET') return client.get(path, headers);
  const body = call.json && JSON.stringify(json);
  const type = call.json ? { 'Content-Type': 'application/json' } : {};
  return client.request(path, { method: call.method, headers: { ...type, ...headers }, body: body ?? null });
}

type Provocation = (call: Call) => Response | Promise<Response>;

/** What provokes an error that follows from what a call takes. */
const DERIVED: Partial<Record<ErrorCode, Provocation>> = {
  unauthenticated: (call) => send(app.visitor(), call),
  not_admin: (call) => send(user, call),
  bad_origin: (call) => send(clientFor(call), call, { headers: { Origin: 'https://elsewhere.example' } }),
  actor_mismatch: (call) => send(clientFor(call), call, { headers: { 'X-Expected-User': '1' } }),
  invalid_key: (call) => send(user, call, { headers: { 'Idempotency-Key': 'x' } }),
  not_found: (call) => send(clientFor(call), call, { id: 'x', json: { option: 1 } }),
  async invalid_input(call) {
    if (!call.form) return send(clientFor(call), call, { json: [], query: '?limit=x' });
    const form = await pollForm({ duration: '0', option1Image: null, option2Image: null });
    return clientFor(call).request(call.path, { method: call.method, ...form });
  },
  unsupported_type: (call) => send(clientFor(call), call, { headers: { 'Content-Type': 'text/plain' } }),
};

const register = (fields: object) =>
  send(app.visitor(), accounts.register, {
    json: { username: 'mara', email: 'mara@example.org', password: 'secret horse', ...fields },
  });
const logIn = (username: string, password: string) =>
  send(app.visitor(), accounts.logIn, { json: { username, password } });
const changeVote = (option: number, id = poll.id) => send(user, polls.changeVote, { id, json: { option } });
const onOneself = (call: Call) => send(administrator, call, { id: String(administrator.user.id) });

async function closedPoll() {
  const closed = await openPoll(app, await app.signUp());
  await postVote(user, closed.id, 1);
  await send(administrator, admin.deactivatePoll, { id: closed.id });
  return closed.id;
}

/** What provokes the errors that a call names itself. */
const OWN: Readonly<Record<string, Partial<Record<ErrorCode, Provocation>>>> = {
  [nameOf(accounts.updateUser)]: {
    taken: (call) => send(user, call, { json: { username: suspended.user.username } }),
  },
  [nameOf(accounts.register)]: { taken: () => register({ username: user.user.username }) },
  [nameOf(accounts.logIn)]: {
    invalid_credentials: () => logIn(user.user.username, 'wrong'),
    suspended: () => logIn(suspended.user.username, suspended.password),
  },
  [nameOf(accounts.resetPassword)]: {
    invalid_token: (call) => send(user, call, { json: { token: 'x', password: 'secret horse' } }),
  },
  [nameOf(accounts.verifyEmail)]: { invalid_token: (call) => send(user, call, { query: '?token=x' }) },
  [nameOf(polls.createPoll)]: {
    insufficient_points: () => postPoll(user, { responsesWanted: '500' }),
    id_taken: () => postPoll(user, { id: poll.id }),
  },
  [nameOf(polls.castVote)]: {
    async own_poll() {
      const maker = await app.signUp();
      return postVote(maker, (await makePoll(maker)).id, 1);
    },
    async already_voted() {
      await postVote(user, poll.id, 1);
      return postVote(user, poll.id, 2);
    },
    poll_closed: async () => postVote(await app.signUp(), await closedPoll(), 1),
  },
  [nameOf(polls.changeVote)]: {
    not_voted: async () => changeVote(1, (await openPoll(app, await app.signUp())).id),
    poll_closed: async () => changeVote(2, await closedPoll()),
    async change_limit() {
      await postVote(user, poll.id, 1);
      for (let nth = 0; nth < VOTE_CHANGES_MAX; nth += 1) await changeVote(nth % 2 === 0 ? 2 : 1);
      return changeVote(VOTE_CHANGES_MAX % 2 === 0 ? 2 : 1);
    },
  },
  [nameOf(polls.readImage)]: { not_found: (call) => send(user, call, { id: 'x.webp' }) },
  [nameOf(admin.deleteUser)]: { protected_account: onOneself },
  [nameOf(admin.suspendUser)]: { protected_account: onOneself },
  [nameOf(admin.unsuspendUser)]: { protected_account: onOneself },
  [nameOf(admin.uploadPolls)]: {
    async id_taken() {
      const headers = { Prefer: 'respond-async' };
      const { jobId: id } = await (await send(administrator, admin.repairImages, { headers })).json();
      const bytes = await makeImage('#ff0000');
      return uploadBulk(
        administrator,
        [
          ['a.jpg', bytes],
          ['b.jpg', bytes],
        ],
        { fields: { id }, headers },
      );
    },
  },
  [nameOf(admin.generatePolls)]: {
    not_found: (call) => send(administrator, call, { json: { count: 1, userId: 99_999 } }),
  },
  [nameOf(service.readReadiness)]: {
    async unavailable(call) {
      app.deps.lifecycle.isStopping = true;
      const answer = await send(user, call);
      app.deps.lifecycle.isStopping = false;
      return answer;
    },
  },
};

describe.each(CALLS.map((call) => [nameOf(call), call] as const))('%s', (name, call) => {
  const own = OWN[name] ?? {};
  test('has a test for each of its own errors', () => {
    expect(Object.keys(own).toSorted()).toEqual([...(call.errors ?? [])].toSorted());
  });

  const provocations = [...errorCodesOf(call)].flatMap((code) => {
    const provoke = own[code] ?? DERIVED[code];
    return provoke === undefined ? [] : [[code, provoke] as const];
  });
  if (provocations.length === 0) return;
  test.each(provocations)('answers %s as documented', async (code, provoke) => {
    const answer = await provoke(call);
    expect([answer.status, (await answer.json()).code]).toEqual([ERROR_STATUS[code], code]);
  });
});

/**
 * Tests of their own provoke these: a body that is too large, a key that stands for another request or is at work, a limit
 * that is used up, an image that cannot be decoded or has to wait, and what nobody foresaw.
 */
const ELSEWHERE = ['too_large', 'key_reused', 'in_flight', 'rate_limited', 'undecodable', 'busy', 'internal'];

test('every other error is tested here', () => {
  const provoked = [DERIVED, ...Object.values(OWN)].flatMap((codes) => Object.keys(codes));
  const documented = new Set(CALLS.flatMap((call) => [...errorCodesOf(call)]));
  expect([...documented].filter((code) => !provoked.includes(code)).toSorted()).toEqual(ELSEWHERE.toSorted());
});
