import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { type Call, errorCodesOf } from '#shared/contract.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { signUpAdmin } from './admins.ts';
import { openPoll, pollForm } from './poll-factory.ts';
import { createTestApp, type TestUser } from './test-app.ts';
import type { TestClient } from './test-client.ts';

type Provocation = (call: Call) => Response | Promise<Response>;

/** The errors of a call, each with a request that provokes it. */
type Provocations = Partial<Record<ErrorCode, Provocation>>;

/** Provocations by `nameOf` of their call. */
export type ErrorsOfCalls = Readonly<Record<string, Provocations>>;

const PASSWORD_METHODS = ['hash', 'hashCodes', 'hashCodeLike', 'verify', 'estimate'] as const;

/** Identifies a call. */
export const nameOf = ({ method, path }: Call) => `${method} ${path}`;

/** Errors that are not provoked for each call, with the files and the titles of the tests that provoke them. */
const TESTED_ELSEWHERE: Partial<Record<ErrorCode, readonly (readonly [file: string, title: string])[]>> = {
  too_large: [
    ['api/http/read-input.test.ts', 'rejects a body over 100 kB, with or without Content-Length'],
    [
      'api/images/image-form.test.ts',
      'when the whole form is too large, by its Content-Length or because of files that are skipped',
    ],
  ],
  key_reused: [['api/polls/natural-keys.test.ts', 'gets key_reused for another poll or another call']],
  in_flight: [
    [
      'api/polls/in-flight.postgres.test.ts',
      'a request whose key another transaction holds for too long gets in_flight',
    ],
  ],
  internal: [
    ['api/http/error-mapping.test.ts', 'the response to an unexpected error does not reveal its message'],
  ],
};

/** The users, a poll and the requests by which tests provoke the errors of calls. */
export async function createErrorTests() {
  const app = await createTestApp();
  const user = await app.signUp();
  const administrator = await signUpAdmin(app);
  const suspendedUser = await app.signUp();
  await app.db.sql`update users set is_suspended = true where id = ${suspendedUser.user.id}`;
  const poll = await openPoll(app, await app.signUp());

  const clientFor = ({ access }: Call) => (access === 'admin' ? administrator : user);

  /** The call for which the queue of passwords is full. */
  let callWithBusyPasswords: Call | null = null;

  /** Sends `call` with a JSON body. `id` is put in place of each path parameter; by default it is that of an existing poll. */
  function send(client: TestClient, call: Call, { json = {}, headers = {}, id = poll.id, query = '' } = {}) {
    if (call === callWithBusyPasswords) {
      for (const name of PASSWORD_METHODS) {
        vi.spyOn(app.deps.passwords, name).mockRejectedValue(new AppError('busy'));
      }
    }
    const path = call.path.replaceAll(/\{\w+\}/g, id) + query;
    if (call.method === 'GET') return client.get(path, headers);
    const body = call.json && JSON.stringify(json);
    const type = call.json ? { 'Content-Type': 'application/json' } : {};
    return client.request(path, {
      method: call.method,
      headers: { ...type, ...headers },
      body: body ?? null,
    });
  }

  async function sendWithPasskeyRequired(call: Call) {
    app.deps.env.isAdminPasskeyRequired = true;
    const response = await send(administrator, call);
    app.deps.env.isAdminPasskeyRequired = false;
    return response;
  }

  /** Sends `call` while each limit rejects with `error`. */
  async function sendWithFailingLimits(call: Call, error: Error) {
    for (const limit of Object.values(app.deps.limits)) vi.spyOn(limit, 'take').mockRejectedValue(error);
    return send(clientFor(call), call);
  }

  /** Provokes `busy` by a request that hashes a password: only when it is sent, the queue of passwords is full. */
  const whileBusy =
    (provoke: Provocation): Provocation =>
    (call) => {
      callWithBusyPasswords = call;
      return provoke(call);
    };

  afterEach(() => {
    callWithBusyPasswords = null;
    vi.restoreAllMocks();
  });

  const suspend = ({ user: { id } }: TestUser) =>
    app.db.sql`update users set is_suspended = true where id = ${id}`;

  /** Provokes the errors that follow from the definition of a call. */
  const derivedErrors: Provocations = {
    unauthenticated: (call) => send(app.visitor(), call),
    not_admin: (call) => send(user, call),
    passkey_needed: sendWithPasskeyRequired,
    bad_origin: (call) => send(clientFor(call), call, { headers: { Origin: 'https://elsewhere.example' } }),
    actor_mismatch: (call) => send(clientFor(call), call, { headers: { 'X-Expected-User': '1' } }),
    invalid_key: (call) => send(user, call, { headers: { 'Idempotency-Key': 'x' } }),
    // The body is valid for each of these calls, as bodies are checked before paths.
    not_found: (call) =>
      send(clientFor(call), call, {
        id: 'x',
        json: { option: 1, reason: 'spam', action: 'keep', name: 'x' },
      }),
    async invalid_input(call) {
      if (!call.form) return send(clientFor(call), call, { json: [], query: '?limit=x' });
      const form = await pollForm({ duration: '0', option1Image: null, option2Image: null });
      return clientFor(call).request(call.path, { method: call.method, ...form });
    },
    unsupported_type: (call) => send(clientFor(call), call, { headers: { 'Content-Type': 'text/plain' } }),
    rate_limited: (call) => sendWithFailingLimits(call, new AppError('rate_limited')),
    // The limits are counted in the database.
    unavailable: (call) =>
      sendWithFailingLimits(call, Object.assign(new Error('no database'), { code: 'ECONNREFUSED' })),
  };

  /** Tests that each of the `calls` responds with every error that it documents; `ownErrors` provokes those that a call lists. */
  function testErrors(calls: readonly Call[], ownErrors: ErrorsOfCalls, otherErrors: ErrorsOfCalls) {
    describe.each(calls.map((call) => [nameOf(call), call] as const))('%s', (name, call) => {
      const own = ownErrors[name] ?? {};
      const provocations = { ...derivedErrors, ...otherErrors[name], ...own };

      test('has a test for each of its errors', () => {
        expect(Object.keys(own).toSorted()).toEqual([...(call.errors ?? [])].toSorted());
        const tested = Object.keys({ ...TESTED_ELSEWHERE, ...provocations });
        expect([...errorCodesOf(call)].filter((code) => !tested.includes(code))).toEqual([]);
      });

      const provoked = [...errorCodesOf(call)].flatMap((code) => {
        const provoke = provocations[code];
        return provoke === undefined ? [] : [[code, provoke] as const];
      });
      if (provoked.length === 0) return;
      test.each(provoked)('responds with %s as documented', async (code, provoke) => {
        const response = await provoke(call);
        expect([response.status, (await response.json()).code]).toEqual([ERROR_STATUS[code], code]);
      });
    });
  }

  test.each(Object.values(TESTED_ELSEWHERE).flat())('in %s there is the test "%s"', (file, title) => {
    expect(readFileSync(file, 'utf8')).toContain(`'${title}'`);
  });

  return {
    app,
    user,
    administrator,
    suspendedUser,
    poll,
    send,
    sendWithPasskeyRequired,
    suspend,
    whileBusy,
    testErrors,
  };
}
