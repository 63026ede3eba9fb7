import { expect, test } from 'vitest';
import { USER_ID_MAX } from '#shared/accounts/constants.ts';
import { createUnsubscribeLinks } from './unsubscribe-links.ts';

test.each([15, 100, USER_ID_MAX])('the token of an unsubscribe link identifies the user %i', (userId) => {
  const links = createUnsubscribeLinks('0190f6a2-5f7e-7c3a-9a51-1c2d3e4f5a6b', 'https://polls.example.org');
  const { origin, searchParams } = new URL(links.urlOf(userId));
  expect(origin).toBe('https://polls.example.org');
  expect(links.userIdOf(searchParams.get('token') ?? '')).toBe(userId);
});
