import { expect, test } from 'vitest';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import { activityTexts } from './activity-texts.ts';

const entry = (changes: Partial<ActivityEntry>): ActivityEntry => ({
  id: 1,
  delta: 1,
  balance: 11,
  reason: 'vote',
  poll: null,
  friend: null,
  createdAt: '2026-11-23T12:00:00.000Z',
  ...changes,
});

const user = { username: 'elena.r' };

test.each<[Partial<ActivityEntry>, title: string, text: string]>([
  [{ reason: 'vote' }, 'Voted', 'A poll you can no longer see'],
  [{ reason: 'poll', delta: -10 }, 'Made a poll', 'A poll that is gone'],
  [{ reason: 'refund', delta: 19 }, 'Closed early', '19 unused votes came back'],
  [{ reason: 'refund', delta: 1 }, 'Closed early', '1 unused vote came back'],
  [{ reason: 'signup' }, 'Signed up', 'Points to start with'],
  [{ reason: 'referral', friend: { event: 'joined', user } }, 'Friend joined', 'elena.r, with your link'],
  [
    { reason: 'referral', delta: 5, friend: { event: 'verified', user: null } },
    'Friend verified',
    'Somebody, 5 more for verifying',
  ],
])('%j is shown as "%s", "%s"', (changes, title, text) => {
  expect(activityTexts(entry(changes))).toEqual({ title, text });
});

test('an entry with an unknown reason is shown as earned or spent points', () => {
  expect(activityTexts(entry({ reason: 'unknown' })).title).toBe('Earned points');
  expect(activityTexts(entry({ reason: 'unknown', delta: -3 })).title).toBe('Spent points');
});
