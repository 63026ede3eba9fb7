import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test } from 'vitest';
import type { Notification } from '#shared/notifications/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { NotificationRow } from './notification-row.tsx';

function textOf(changes: Partial<Notification>): string {
  const notification: Notification = {
    id: 1,
    kind: 'completed',
    poll: { ...samplePoll(), responsesWanted: 10, results: { option1: 0, option2: 0 } },
    user: null,
    rule: null,
    verdict: null,
    createdAt: '2026-11-23T12:00:00.000Z',
    readAt: '2026-11-23T12:00:00.000Z',
    ...changes,
  };
  const row = <NotificationRow notification={notification} renderThumbnail={() => null} />;
  return renderToStaticMarkup(<MemoryRouter>{row}</MemoryRouter>);
}

test('the removal of a poll names the broken rule, unless the reason is “other”', () => {
  expect(textOf({ kind: 'removed', poll: null, rule: 'spam' })).toContain('It broke a rule: <a');
  expect(textOf({ kind: 'removed', poll: null, rule: 'other' })).toMatch(/It broke <a[^>]*>our rules<\/a>/);
});

test('the removal of a reported poll links to My Polls, which shows the poll', () => {
  expect(textOf({ kind: 'removed', poll: null, rule: 'spam' })).toContain('href="/my-polls"');
  expect(textOf({ kind: 'removed', poll: null, rule: null })).not.toContain('href="/my-polls"');
});

test('the text of a notification that cannot be opened is not cut off', () => {
  expect(textOf({})).toContain('line-clamp-1');
  expect(textOf({ kind: 'report_resolved', poll: null, verdict: 'dismissed' })).not.toContain('line-clamp');
});

test('the notification of a completed poll without votes says that there are none', () => {
  expect(textOf({ kind: 'completed' })).toContain('No votes');
});

test('a notification of a kind that this version does not know says that the app needs an update', () => {
  expect(textOf({ kind: 'unknown' })).toContain('Update the app to see it.');
  expect(textOf({ kind: 'unknown', poll: null })).toContain('Update the app to see it.');
});
