import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#shared/errors.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { captivePortal, json, refusal } from '#sync/testing/fake-transport.ts';
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
  const answer = await reply(request);
  return outcomeOf(OP_ID, answer === 'lost' ? null : answer);
}

describe('what an answer means for the op that was sent', () => {
  test('no answer at all is tried again and stops the lane', () => {
    expect(outcomeOf(OP_ID, null)).toEqual({ kind: 'retry', scope: 'lane', retryAfterMs: null, error: null });
  });

  test.each([200, 201])('%i with the poll and the user is applied', async (status) => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect(await outcome(json(status, body))).toEqual({ kind: 'applied', answer: body });
  });

  test('a replay whose poll is gone is applied', async () => {
    const body = { poll: null, user: sampleUser() };
    expect(await outcome(json(200, body))).toEqual({ kind: 'applied', answer: body });
  });

  test("a captive portal's page is a network failure", async () => {
    expect((await outcome(captivePortal)).kind).toBe('retry');
  });

  test('a 200 that does not echo the key is a network failure', async () => {
    const body = { poll: samplePoll(), user: sampleUser() };
    expect((await outcome(json(200, body, { 'Idempotency-Key': 'another' }))).kind).toBe('retry');
  });

  test('a 200 that cannot be read is never taken for success', async () => {
    expect((await outcome(json(200, { ok: true }))).kind).toBe('unclear');
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
    retry: ['rate_limited', 'internal', 'unavailable', 'busy', 'in_flight'],
    unclear: ['suspended', 'bad_origin'],
  };
  for (const [kind, codes] of Object.entries(expected)) {
    test.each(codes)(`%s is ${kind}`, async (code) => {
      const result = await outcome(refusal(code));
      expect(result.kind).toBe(kind);
      if (result.kind === 'rejected')
        expect(result.error).toMatchObject({ code, status: ERROR_STATUS[code] });
    });
  }

  test('Retry-After is taken in seconds and never beyond a minute', async () => {
    expect(await outcome(refusal('rate_limited', { 'Retry-After': '7' }))).toMatchObject({
      retryAfterMs: 7_000,
    });
    expect(await outcome(refusal('busy', { 'Retry-After': '86400' }))).toMatchObject({
      retryAfterMs: 60_000,
    });
    expect(await outcome(refusal('busy', { 'Retry-After': 'soon' }))).toMatchObject({ retryAfterMs: null });
  });

  test("the API's own 500 concerns one op, a gateway's 502 the whole lane", async () => {
    expect(await outcome(refusal('internal'))).toMatchObject({ scope: 'op' });
    expect(await outcome(json(502, null, { 'Idempotency-Key': '' }))).toMatchObject({ scope: 'lane' });
  });
});
