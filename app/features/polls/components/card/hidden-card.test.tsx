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

function renderHiddenCard(hidden: Partial<HiddenView>, changes: Partial<Poll> = {}): string {
  const view = { reason: undefined, username: undefined, op: null, ...hidden };
  return renderToStaticMarkup(<HiddenCard view={viewOf(changes)} hidden={view} focusKey="" />);
}

const renderInRouter = (element: React.ReactNode) =>
  renderToStaticMarkup(<MemoryRouter>{element}</MemoryRouter>);

test('the card of a reported poll names the reason and offers Undo and Block maker', () => {
  const card = renderHiddenCard({ reason: 'spam' });
  for (const text of ['Reported as spam', 'Undo', 'Block maker', 'You will not see it again.']) {
    expect(card).toContain(text);
  }
  expect(card).not.toContain(samplePoll().question);
  expect(renderHiddenCard({ reason: 'other' })).toContain('>Reported<');
});

test('the card of a reported poll without a maker does not offer Block maker', () => {
  expect(renderHiddenCard({ reason: 'hate' }, { user: null })).not.toContain('Block maker');
});

test('the card of a blocked maker names them and offers Unblock', () => {
  const card = renderHiddenCard({ username: 'mara.lind' });
  for (const text of ['mara.lind is blocked', 'Unblock', 'Blocked people are listed in Settings.']) {
    expect(card).toContain(text);
  }
  expect(card).not.toContain('Undo<');
});

test('the card of a report that was not sent says so, and not that the report is waiting', () => {
  const op = {
    state: 'needs_attention',
    createdAt: 0,
    lastError: { status: 400, code: 'unknown', message: '' },
  };
  const card = renderHiddenCard({ reason: 'spam', op: op as HiddenView['op'] });
  expect(card).toContain('Not sent');
  expect(card).not.toContain('Waiting to sync');
});

test('the note for the maker says that their poll is hidden, or which rule it broke if it was removed', () => {
  expect(renderInRouter(<ModerationNote poll={samplePoll({ hidden: true })} />)).toContain(
    'Several people have reported it.',
  );
  const note = renderInRouter(<ModerationNote poll={samplePoll({ removedFor: 'spam' })} />);
  expect(note).toContain('Removed. It broke a rule: Spam.');
  expect(note).toContain('href="/rules"');
});

test('the note about a poll that was removed for the reason “other” does not name a rule', () => {
  const note = renderInRouter(<ModerationNote poll={samplePoll({ removedFor: 'other' })} />);
  expect(note).toContain('Removed. It broke our rules.');
});

test('a removed poll has a chip but no link, and a hidden poll has both', () => {
  const cardOf = (changes: Partial<Poll>) =>
    renderInRouter(<PollCard view={viewOf({ isMine: true, status: 'inactive', ...changes })} nowMs={0} />);
  const removed = cardOf({ removedFor: 'hate' });
  expect(removed).toContain('Removed');
  expect(removed).not.toContain('href="/poll/');
  expect(removed).not.toContain('More actions');
  const hidden = cardOf({ hidden: true });
  expect(hidden).toContain('Hidden');
  expect(hidden).toContain('href="/poll/');
});
