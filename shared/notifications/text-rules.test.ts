import { expect, test } from 'vitest';
import type { Notification } from '#shared/notifications/schema.ts';
import { formatUnreadCount, notificationText, notificationTitle, resultOf } from './text-rules.ts';

const poll = (option1: number, option2: number) => ({
  id: '019352aa-0000-7000-8000-000000000001',
  question: 'Sofa?',
  option1Image: '/uploads/a.webp',
  option2Image: '/uploads/b.webp',
  option1Caption: 'Mustard',
  option2Caption: null,
  option1Preview: null,
  option2Preview: null,
  responsesWanted: 25,
  results: { option1, option2 },
});

const notification = (changes: Partial<Notification>): Notification => ({
  id: 1,
  kind: 'first_vote',
  poll: null,
  user: null,
  rule: null,
  verdict: null,
  createdAt: '2026-11-23T12:00:00.000Z',
  readAt: null,
  ...changes,
});

test.each<[Partial<Notification>, title: string]>([
  [{ kind: 'first_vote', poll: poll(1, 0) }, 'Your first vote is in'],
  [{ kind: 'halfway', poll: poll(6, 7) }, 'Halfway: 13 of 25 votes'],
  [{ kind: 'halfway' }, 'Halfway there'],
  [{ kind: 'completed', poll: poll(20, 5) }, 'All 25 votes are in'],
  [{ kind: 'completed' }, 'All votes are in'],
  [{ kind: 'expired', poll: poll(3, 1) }, 'Closed: 4 of 25 votes'],
  [{ kind: 'expired' }, 'A poll has closed'],
  [{ kind: 'removed' }, 'Your poll was removed'],
  [{ kind: 'referral_joined', user: { username: 'elena.r' } }, 'elena.r joined'],
  [{ kind: 'referral_verified' }, 'Somebody verified their email'],
  [{ kind: 'report_resolved', verdict: 'upheld' }, 'Your report was right'],
  [{ kind: 'report_resolved', verdict: 'dismissed' }, 'We looked at your report'],
  [{ kind: 'unknown' }, 'Something new'],
])('%j has the title "%s"', (changes, title) => {
  expect(notificationTitle(notification(changes))).toBe(title);
});

test('a result is the leading option, “A draw” or “No votes”', () => {
  expect(resultOf(poll(2, 1))).toEqual({ option: 1, caption: 'Mustard', percent: 67 });
  expect(resultOf(poll(1, 2))).toEqual({ option: 2, caption: 'Option B', percent: 67 });
  expect([resultOf(poll(1, 1)), resultOf(poll(0, 0))]).toEqual(['A draw', 'No votes']);
});

test('the second line of a notification without a poll says what it means for the user', () => {
  const texts = (['referral_joined', 'referral_verified', 'first_vote', 'unknown'] as const).map((kind) =>
    notificationText(notification({ kind })),
  );
  expect(texts).toEqual([
    '+5 points, by your link',
    '+5 points',
    'The poll is gone',
    'Update the app to see it.',
  ]);
  expect(notificationText(notification({ kind: 'report_resolved', verdict: 'upheld' }))).toBe(
    'The poll is gone. Thank you.',
  );
  expect(notificationText(notification({ kind: 'report_resolved', verdict: 'dismissed' }))).toContain(
    'stays',
  );
});

test('the bell shows counts above 9 as “9+”', () => {
  expect([1, 9, 10].map(formatUnreadCount)).toEqual(['1', '9', '9+']);
});
