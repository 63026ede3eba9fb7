import { Hono } from 'hono';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode, errorBodySchema } from '#shared/errors.ts';
import type { AppEnv } from './app-env.ts';
import { respondWithError } from './error-mapping.ts';
import { requestLog } from './logging/log.ts';

/** The response when a handler throws `error`. */
async function responseTo(error: Error): Promise<Response> {
  const app = new Hono<AppEnv>();
  app.onError(respondWithError);
  app.use(requestLog(pino({ level: 'silent' })));
  app.get('/', () => {
    throw error;
  });
  return app.request('/');
}

/** The error codes of each status, written out here instead of taken from `ERROR_STATUS`. */
const CODES_OF_STATUS: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['invalid_input', 'invalid_token', 'invalid_key'],
  401: ['unauthenticated', 'invalid_credentials', 'passkey_required'],
  402: ['insufficient_points'],
  403: [
    'bad_origin',
    'not_admin',
    'wrong_password',
    'invalid_passkey',
    'invalid_recovery_code',
    'confirmation_needed',
    'passkey_needed',
    'suspended',
    'own_poll',
    'not_yours',
    'own_account',
    'protected_account',
  ],
  404: ['not_found', 'unknown_endpoint'],
  409: [
    'taken',
    'already_voted',
    'not_voted',
    'change_limit',
    'poll_closed',
    'id_taken',
    'no_passkey',
    'passkey_limit',
    'second_step_off',
    'job_limit',
    'too_late',
    'already_decided',
    'reports_changed',
    'actor_mismatch',
    'in_flight',
  ],
  413: ['too_large'],
  415: ['unsupported_type'],
  422: ['weak_password', 'undecodable', 'block_limit', 'key_reused'],
  429: ['rate_limited', 'vote_limit'],
  500: ['internal'],
  503: ['unavailable', 'busy'],
};

const rows = Object.entries(CODES_OF_STATUS).flatMap(([status, codes]) =>
  codes.map((code) => ({ code, status: Number(status) })),
);

test.each(rows)('$code has status $status and a readable message', async ({ code, status }) => {
  const response = await responseTo(new AppError(code));
  expect(response.status).toBe(status);
  const body = errorBodySchema.parse(await response.json());
  expect(body.code).toBe(code);
  expect(body.message).toBe(ERROR_MESSAGES[code]);
  expect(body.message).toMatch(/^[A-Z].{5,}/);
  expect(body.requestId).not.toBe('');
});

test('the list of this file has every error code', () => {
  expect(Object.keys(ERROR_STATUS).toSorted()).toEqual(rows.map(({ code }) => code).toSorted());
});

test('the response to an unexpected error does not reveal its message', async () => {
  const response = await responseTo(new Error('select secret from users'));
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
});

test.each(['ECONNREFUSED', 'ENETUNREACH', 'CONNECTION_CLOSED', '40001', '57P01', 'ENOSPC'])(
  'a query that fails with %s gets 503 with Retry-After',
  async (code) => {
    const failure = Object.assign(new Error('failed'), { code });
    const response = await responseTo(new Error('Failed query', { cause: failure }));
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '2']);
  },
);

test.each(['votes_user_id_users_id_fk', 'admin_jobs_admin_id_users_id_fk'])(
  'a request whose account is deleted in the meantime (%s) gets 401',
  async (constraint) => {
    const violation = Object.assign(new Error('violates'), { code: '23503', constraint_name: constraint });
    expect((await responseTo(new Error('Failed query', { cause: violation }))).status).toBe(401);
  },
);
