import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test, vi } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { HiddenView, PollView } from '#sync/operations/operation.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import HiddenCard from './hidden-card.tsx';
import ModerationNote from './moderation-note.tsx';

// The module of the card calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { PollCard } = await import('./poll-card.tsx');

const viewOf = (changes: Partial<Poll>): PollView => ({
  poll: samplePoll(changes),
  vote: null,
  voteOp: null,
  createOp: null,
});

function hiddenCard(hidden: Partial<HiddenView>, changes: Partial<Poll> = {}): string {
  const view = { reason: undefined, username: undefined, op: null, ...hidden };
  return renderToStaticMarkup(<HiddenCard view={viewOf(changes)} hidden={view} />);
}

const inRouter = (element: React.ReactNode) => renderToStaticMarkup(<MemoryRouter>{element}</MemoryRouter>);

test('a reported poll says as what, and lets its reporter undo it or block the maker', () => {
  const card = hiddenCard({ reason: 'spam' });
  for (const text of ['Reported as spam', 'Undo', 'Block maker', 'You will not see it again.']) {
    expect(card).toContain(text);
  }
  expect(card).not.toContain('First cup of the day?');
  expect(hiddenCard({ reason: 'other' })).toContain('>Reported<');
});

test('without a maker nobody can be blocked', () => {
  expect(hiddenCard({ reason: 'hate' }, { user: null })).not.toContain('Block maker');
});

test('a blocked maker is named, and can be unblocked', () => {
  const card = hiddenCard({ username: 'mara.lind' });
  for (const text of ['mara.lind is blocked', 'Unblock', 'Blocked people are listed in Settings.']) {
    expect(card).toContain(text);
  }
  expect(card).not.toContain('Undo<');
});

test('the maker of a hidden poll is told so, that of a removed one which rule it has broken', () => {
  expect(inRouter(<ModerationNote poll={samplePoll({ hidden: true })} />)).toContain(
    'Several people have reported it.',
  );
  const note = inRouter(<ModerationNote poll={samplePoll({ removedFor: 'spam' })} />);
  expect(note).toContain('Removed. It broke a rule: Spam.');
  expect(note).toContain('href="/rules"');
});

test('a removed poll has a chip and no link, a hidden one a chip and its link', () => {
  const cardOf = (changes: Partial<Poll>) =>
    inRouter(<PollCard view={viewOf({ isMine: true, status: 'inactive', ...changes })} nowMs={0} />);
  const removed = cardOf({ removedFor: 'hate' });
  expect(removed).toContain('Removed');
  expect(removed).not.toContain('href="/poll/');
  expect(removed).not.toContain('More actions');
  const hidden = cardOf({ hidden: true });
  expect(hidden).toContain('Hidden');
  expect(hidden).toContain('href="/poll/');
});
