import { expect, test } from 'vitest';
import * as accounts from './accounts/contract.ts';
import * as passkeys from './accounts/passkeys/contract.ts';
import * as activity from './activity/contract.ts';
import * as admin from './admin/contract.ts';
import { buildPath, type Call, errorCodesOf, responseSchema } from './contract.ts';
import * as explore from './explore/contract.ts';
import * as notifications from './notifications/contract.ts';
import * as polls from './polls/contract.ts';
import * as reports from './reports/contract.ts';
import * as service from './service/contract.ts';

const CONTRACTS = [accounts, passkeys, activity, admin, explore, notifications, polls, reports, service];
const CALLS = CONTRACTS.flatMap((calls) => Object.values<Call>({ ...calls }));

test('buildPath encodes path parameters and appends the query', () => {
  expect(buildPath(accounts.readUser, {})).toBe('/api/user');
  expect(buildPath(accounts.checkUsername, { params: { username: 'a/b ?' } })).toBe(
    '/api/check-username/a%2Fb%20%3F',
  );
  expect(buildPath(admin.suspendUser, { params: { id: 104 } })).toBe('/api/admin/users/104/suspend');
  const query = { page: 2, search: null };
  expect(buildPath(admin.listUsers, { query })).toBe('/api/admin/users?page=2');
});

test('responseSchema returns the schema of the lowest status unless a status is given', () => {
  expect(responseSchema(polls.readFeed)).toBe(polls.readFeed.responses[200].content);
  expect(responseSchema(admin.repairImages, 202)).toBe(admin.repairImages.responses[202].content);
});

test('errorCodesOf adds the errors that follow from the other fields of a call', () => {
  expect([...errorCodesOf(service.readHealth)]).toEqual(['internal']);
  expect([...errorCodesOf(polls.changeVote)].toSorted()).toEqual(
    [
      ...['change_limit', 'not_voted', 'poll_closed', 'not_found', 'invalid_input', 'unsupported_type'],
      ...['too_large', 'invalid_key', 'key_reused', 'in_flight', 'unauthenticated', 'bad_origin'],
      ...['rate_limited', 'actor_mismatch', 'unavailable', 'internal'],
    ].toSorted(),
  );
  expect(errorCodesOf(admin.listUsers)).toContain('not_admin');
  expect(errorCodesOf(polls.createPoll)).toContain('undecodable');
});

test('no two calls have the same method and path', () => {
  const names = CALLS.map(({ method, path }) => `${method} ${path}`);
  // `CONTRACTS` is not empty or incomplete: there are more than 70 calls.
  expect(names.length).toBeGreaterThan(70);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
