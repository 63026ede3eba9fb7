import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import { EntryRow } from './activity-list.tsx';

const REFERRAL: ActivityEntry = {
  id: 1,
  delta: 5,
  balance: 15,
  reason: 'referral',
  poll: null,
  friend: { event: 'joined', user: { username: 'elena.r' } },
  createdAt: '2026-11-23T12:00:00.000Z',
};

const render = (entry: ActivityEntry) =>
  renderToStaticMarkup(<EntryRow entry={entry} renderThumbnail={() => null} />);

test('a referral shows the initials of the friend, or a question mark once their account is deleted', () => {
  expect(render(REFERRAL)).toContain('>ER<');
  expect(render({ ...REFERRAL, friend: { event: 'joined', user: null } })).toContain('>?<');
});
