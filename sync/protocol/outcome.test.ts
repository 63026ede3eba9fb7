import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#shared/errors.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { captivePortal, errorResponse, json } from '#sync/testing/fake-transport.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { outcomeOf } from './outcome.ts';

const OP_ID = '5b6d0a52-6c4f-4d0e-9a53-0f1f6a0f2a10';
const request = {
  method: 'POST' as const,
  path: '/',
  headers: { 'Idempotency-Key': OP_ID },
  body: null,
  timeoutMs: 1,
};

async function outcome(reply: ReturnType<typeof json>) {
  const response = await reply(request);
  return outcomeOf(OP_ID, response === 'no_response' ? null : response);
}

describe('the outcome of an op', () => {
  test('without a response is a retry after a pause of the lane', () => {
    expect(outcomeOf(OP_ID, null)).toMatchObject({
      kind: 'retry',
      scope: 'lane',
      retryAfterMs: null,
      error: null,
    });
  });

  test.each([200, 201])('%i with the poll and the user is applied', async (status) => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect(await outcome(json(status, body))).toEqual({
      kind: 'applied',
      response: body,
      isNew: status === 201,
    });
  });

  test('a replay whose poll no longer exists is applied', async () => {
    const body = { poll: null, user: sampleUser() };
    expect(await outcome(json(200, body))).toMatchObject({ kind: 'applied', response: body });
  });

  test("a captive portal's page is a network failure", async () => {
    expect((await outcome(captivePortal)).kind).toBe('retry');
  });

  test('a 200 that does not echo the key is a network failure', async () => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect((await outcome(json(200, body, { 'Idempotency-Key': 'another' }))).kind).toBe('retry');
  });

  test.each([200, 201])(
    'a %i that echoes the key but cannot be read is applied, without poll and user',
    async (status) => {
      expect(await outcome(json(status, { ok: true }))).toMatchObject({ kind: 'applied', response: null });
    },
  );

  test.each([
    [400, 'rejected'],
    [401, 'blocked_auth'],
    [402, 'rejected'],
    [403, 'unclear'],
    [404, 'rejected'],
    [405, 'unclear'],
    [409, 'unclear'],
    [413, 'rejected'],
    [422, 'rejected'],
    [429, 'retry'],
    [500, 'retry'],
  ])('a %i with a code that only a newer server knows is %s, with its message', async (status, kind) => {
    const newer = await outcome(json(status, { message: 'It rains.', code: 'weather', requestId: 'r1' }));
    expect(newer.kind).toBe(kind);
    if ('error' in newer) expect(newer.error).toEqual({ status, code: 'unknown', message: 'It rains.' });
  });

  test('a call that the server no longer has is unclear', async () => {
    expect(await outcome(errorResponse('unknown_endpoint'))).toMatchObject({
      kind: 'unclear',
      error: { status: 404, code: 'unknown_endpoint' },
    });
  });

  test('a refusal whose body cannot be read is classified by its status', async () => {
    expect(await outcome(json(422, null))).toMatchObject({
      kind: 'rejected',
      error: { code: 'unknown', message: 'The server responded with status 422.' },
    });
  });

  test("a gateway's own response is a failed upload, the server's own is not", async () => {
    const gateway = { 'Idempotency-Key': '' };
    expect(await outcome(json(413, null, gateway))).toMatchObject({ kind: 'retry', isFailedUpload: true });
    expect(await outcome(json(502, null, gateway))).toMatchObject({ kind: 'retry', isFailedUpload: false });
    expect(await outcome(json(429, null, gateway))).toMatchObject({ kind: 'retry', isFailedUpload: false });
    expect(await outcome(json(200, null, gateway))).toMatchObject({ kind: 'retry', isFailedUpload: false });
    expect(await outcome(errorResponse('busy'))).toMatchObject({ kind: 'retry', isFailedUpload: false });
    expect(outcomeOf(OP_ID, null)).toMatchObject({ kind: 'retry', isFailedUpload: false });
  });

  const expected: Record<string, ErrorCode[]> = {
    rejected: [
      'poll_closed',
      'already_voted',
      'own_poll',
      'id_taken',
      'not_found',
      'insufficient_points',
      'too_large',
      'unsupported_type',
      'undecodable',
      'key_reused',
      'invalid_input',
      'invalid_key',
    ],
    blocked_auth: ['unauthenticated', 'actor_mismatch'],
    retry: ['rate_limited', 'vote_limit', 'internal', 'unavailable', 'busy', 'in_flight'],
    unclear: ['suspended', 'bad_origin'],
  };
  for (const [kind, codes] of Object.entries(expected)) {
    test.each(codes)(`%s is ${kind}`, async (code) => {
      const result = await outcome(errorResponse(code));
      expect(result.kind).toBe(kind);
      if (result.kind === 'rejected')
        expect(result.error).toMatchObject({ code, status: ERROR_STATUS[code] });
    });
  }

  test('Retry-After is read in seconds, with a maximum of a minute', async () => {
    expect(await outcome(errorResponse('rate_limited', { 'Retry-After': '7' }))).toMatchObject({
      retryAfterMs: 7_000,
    });
    expect(await outcome(errorResponse('busy', { 'Retry-After': '86400' }))).toMatchObject({
      retryAfterMs: 60_000,
    });
    expect(await outcome(errorResponse('busy', { 'Retry-After': 'soon' }))).toMatchObject({
      retryAfterMs: null,
    });
    expect(await outcome(errorResponse('busy', { 'Retry-After': '-1' }))).toMatchObject({
      retryAfterMs: null,
    });
    for (const nothing of ['0', ''])
      expect(await outcome(errorResponse('busy', { 'Retry-After': nothing }))).toMatchObject({
        retryAfterMs: null,
      });
  });

  test('a vote beyond the limit of an unverified user waits for as long as an hour, and no other op does', async () => {
    expect(await outcome(errorResponse('vote_limit', { 'Retry-After': '86400' }))).toMatchObject({
      kind: 'retry',
      scope: 'op',
      retryAfterMs: 3_600_000,
    });
    const gateway = errorResponse('vote_limit', { 'Retry-After': '86400', 'Idempotency-Key': '' });
    expect(await outcome(gateway)).toMatchObject({ scope: 'lane', retryAfterMs: 60_000 });
  });

  test("the API's own 500 concerns one op, a gateway's 502 the whole lane", async () => {
    expect(await outcome(errorResponse('internal'))).toMatchObject({ scope: 'op' });
    expect(await outcome(json(502, null, { 'Idempotency-Key': '' }))).toMatchObject({ scope: 'lane' });
    expect(await outcome(json(500, null, { 'Idempotency-Key': '' }))).toMatchObject({ scope: 'lane' });
    expect(await outcome(errorResponse('busy'))).toMatchObject({ scope: 'lane' });
  });

  test("only errors of the API are kept as the last error, never a gateway's", async () => {
    expect(await outcome(errorResponse('busy'))).toMatchObject({ error: { status: 503, code: 'busy' } });
    const gateway = json(503, { message: 'Down', code: 'busy', requestId: 'r1' }, { 'Idempotency-Key': '' });
    expect(await outcome(gateway)).toMatchObject({ kind: 'retry', error: null });
  });

  test('an op that the server is still processing is retried after its Retry-After', async () => {
    expect(await outcome(errorResponse('in_flight', { 'Retry-After': '2' }))).toEqual({
      kind: 'retry',
      scope: 'op',
      retryAfterMs: 2_000,
      error: expect.objectContaining({ status: 409, code: 'in_flight' }),
      isFailedUpload: false,
    });
    expect(await outcome(errorResponse('in_flight'))).toMatchObject({ retryAfterMs: null });
  });

  test.each([408, 425])('a %i is retried', async (status) => {
    expect(await outcome(json(status, null))).toMatchObject({ kind: 'retry', scope: 'lane' });
  });

  test('after a refusal by a gateway no error is kept, and the lane waits', async () => {
    expect(await outcome(json(404, null, { 'Idempotency-Key': '' }))).toEqual({
      kind: 'retry',
      scope: 'lane',
      retryAfterMs: null,
      error: null,
      isFailedUpload: true,
    });
    expect(await outcome(json(400, null, { 'Idempotency-Key': '' }))).toMatchObject({ isFailedUpload: true });
  });
});
