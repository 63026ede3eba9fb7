import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#shared/errors.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { captivePortal, errorResponse, json, type Reply } from '#sync/testing/fake-transport.ts';
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

/** The outcome of an op whose request gets this reply. */
async function outcomeAfter(reply: Reply) {
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

  test.each([200, 201])('is `applied` after a %i with the poll and the user', async (status) => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect(await outcomeAfter(json(status, body))).toEqual({
      kind: 'applied',
      response: body,
      isNew: status === 201,
    });
  });

  test('is `applied` if the server repeats a response whose poll no longer exists', async () => {
    const body = { poll: null, user: sampleUser() };
    expect(await outcomeAfter(json(200, body))).toMatchObject({ kind: 'applied', response: body });
  });

  test("is a retry after a captive portal's page", async () => {
    expect((await outcomeAfter(captivePortal)).kind).toBe('retry');
  });

  test('is a retry after a 200 that does not echo the key', async () => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect((await outcomeAfter(json(200, body, { 'Idempotency-Key': 'another' }))).kind).toBe('retry');
  });

  test.each([200, 201])(
    'is `applied` without poll and user after a %i that echoes the key but cannot be read',
    async (status) => {
      expect(await outcomeAfter(json(status, { ok: true }))).toMatchObject({
        kind: 'applied',
        response: null,
      });
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
  ])('after a %i with an unknown code is `%s`', async (status, kind) => {
    const outcome = await outcomeAfter(
      json(status, { message: 'It rains.', code: 'weather', requestId: 'r1' }),
    );
    expect(outcome.kind).toBe(kind);
    if ('error' in outcome) expect(outcome.error).toEqual({ status, code: 'unknown', message: 'It rains.' });
  });

  test('is `unclear` if the server does not have the call', async () => {
    expect(await outcomeAfter(errorResponse('unknown_endpoint'))).toMatchObject({
      kind: 'unclear',
      error: { status: 404, code: 'unknown_endpoint' },
    });
  });

  test('follows from the status if the body of an error cannot be read', async () => {
    expect(await outcomeAfter(json(422, null))).toMatchObject({
      kind: 'rejected',
      error: { code: 'unknown', message: 'The server responded with status 422.' },
    });
  });

  test('counts as a failed upload after a 4xx of a gateway, except 429', async () => {
    const fromGateway = { 'Idempotency-Key': '' };
    expect(await outcomeAfter(json(413, null, fromGateway))).toMatchObject({
      kind: 'retry',
      isFailedUpload: true,
    });
    expect(await outcomeAfter(json(502, null, fromGateway))).toMatchObject({
      kind: 'retry',
      isFailedUpload: false,
    });
    expect(await outcomeAfter(json(429, null, fromGateway))).toMatchObject({
      kind: 'retry',
      isFailedUpload: false,
    });
    expect(await outcomeAfter(json(200, null, fromGateway))).toMatchObject({
      kind: 'retry',
      isFailedUpload: false,
    });
    expect(await outcomeAfter(errorResponse('busy'))).toMatchObject({ kind: 'retry', isFailedUpload: false });
    expect(outcomeOf(OP_ID, null)).toMatchObject({ kind: 'retry', isFailedUpload: false });
  });

  const codesByKind: Record<string, ErrorCode[]> = {
    rejected: [
      'poll_closed',
      'already_voted',
      'not_voted',
      'change_limit',
      'own_poll',
      'own_account',
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
  for (const [kind, codes] of Object.entries(codesByKind)) {
    test.each(codes)(`is \`${kind}\` after the error %s`, async (code) => {
      const outcome = await outcomeAfter(errorResponse(code));
      expect(outcome.kind).toBe(kind);
      if (outcome.kind === 'rejected')
        expect(outcome.error).toMatchObject({ code, status: ERROR_STATUS[code] });
    });
  }

  test.each([
    ['7', 7_000],
    ['86400', 60_000],
    ['soon', null],
    ['-1', null],
    ['0', null],
    ['', null],
    ['Infinity', null],
  ])('contains the Retry-After %j in milliseconds, up to a minute', async (retryAfter, retryAfterMs) => {
    // Before all dates that `Date.parse` might take a number for.
    const headers = { Date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'Retry-After': retryAfter };
    expect(await outcomeAfter(errorResponse('rate_limited', headers))).toMatchObject({ retryAfterMs });
  });

  test('contains the time until a Retry-After that is a date, by the clock of the server', async () => {
    const date = { Date: 'Tue, 14 Nov 2023 20:00:00 GMT' };
    for (const [retryAfter, retryAfterMs] of [
      ['Tue, 14 Nov 2023 20:00:07 GMT', 7_000],
      ['Tue, 14 Nov 2023 21:00:00 GMT', 60_000],
      ['Tue, 14 Nov 2023 19:59:59 GMT', null],
    ] as const) {
      const outcome = await outcomeAfter(errorResponse('busy', { ...date, 'Retry-After': retryAfter }));
      expect(outcome).toMatchObject({ retryAfterMs });
    }
    const withoutDate = errorResponse('busy', { 'Retry-After': 'Tue, 14 Nov 2023 20:00:07 GMT' });
    expect(await outcomeAfter(withoutDate)).toMatchObject({ retryAfterMs: null });
  });

  test('contains a Retry-After of up to an hour for a vote beyond the limit of an unverified user', async () => {
    expect(await outcomeAfter(errorResponse('vote_limit', { 'Retry-After': '86400' }))).toMatchObject({
      kind: 'retry',
      scope: 'op',
      retryAfterMs: 3_600_000,
    });
    const gateway = errorResponse('vote_limit', { 'Retry-After': '86400', 'Idempotency-Key': '' });
    expect(await outcomeAfter(gateway)).toMatchObject({ scope: 'lane', retryAfterMs: 60_000 });
  });

  test('affects only the op after a 500 of the API, but the whole lane after a gateway error', async () => {
    expect(await outcomeAfter(errorResponse('internal'))).toMatchObject({ scope: 'op' });
    expect(await outcomeAfter(json(502, null, { 'Idempotency-Key': '' }))).toMatchObject({ scope: 'lane' });
    expect(await outcomeAfter(json(500, null, { 'Idempotency-Key': '' }))).toMatchObject({ scope: 'lane' });
    expect(await outcomeAfter(errorResponse('busy'))).toMatchObject({ scope: 'lane' });
  });

  test('contains an error only if the API has sent it', async () => {
    expect(await outcomeAfter(errorResponse('busy'))).toMatchObject({ error: { status: 503, code: 'busy' } });
    const gateway = json(503, { message: 'Down', code: 'busy', requestId: 'r1' }, { 'Idempotency-Key': '' });
    expect(await outcomeAfter(gateway)).toMatchObject({ kind: 'retry', error: null });
  });

  test('is a retry, after the pause in Retry-After, if the server is still processing the op', async () => {
    expect(await outcomeAfter(errorResponse('in_flight', { 'Retry-After': '2' }))).toEqual({
      kind: 'retry',
      scope: 'op',
      retryAfterMs: 2_000,
      error: expect.objectContaining({ status: 409, code: 'in_flight' }),
      isFailedUpload: false,
    });
    expect(await outcomeAfter(errorResponse('in_flight'))).toMatchObject({ retryAfterMs: null });
  });

  test.each([408, 425])('is a retry after a %i', async (status) => {
    expect(await outcomeAfter(json(status, null))).toMatchObject({ kind: 'retry', scope: 'lane' });
  });

  test('is a retry after a pause of the lane if a gateway has rejected the request', async () => {
    expect(await outcomeAfter(json(404, null, { 'Idempotency-Key': '' }))).toEqual({
      kind: 'retry',
      scope: 'lane',
      retryAfterMs: null,
      error: null,
      isFailedUpload: true,
    });
    expect(await outcomeAfter(json(400, null, { 'Idempotency-Key': '' }))).toMatchObject({
      isFailedUpload: true,
    });
  });
});
