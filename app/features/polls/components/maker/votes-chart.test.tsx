import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';

// The module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
vi.mock('#app/features/polls/hooks/use-votes-by-hour.ts', () => ({
  useVotesByHour: () => ({ hours: [], hasFailed: false }),
}));
const { VotesOverTime } = await import('./votes-chart.tsx');

test.each([
  ['active', 0, 'The chart starts with the second vote.'],
  ['active', 1, 'The chart starts with the second vote.'],
  ['expired', 0, 'No votes came in.'],
  ['inactive', 1, 'Only one vote came in, too few for a chart.'],
] as const)(
  'an %s poll with %d votes has no chart, but the text "%s" in its place',
  (status, votesCount, text) => {
    const poll: Poll = samplePoll({ status, votesCount });
    const markup = renderToStaticMarkup(<VotesOverTime poll={poll} userId={100} nowMs={0} />);
    expect(markup).toContain(text);
    expect(markup).not.toContain('<svg');
  },
);

test('the time axis of a poll that was just closed early does not end with "now"', () => {
  const closesAt = '2026-11-26T12:10:30.000Z';
  const renderWith = (status: Poll['status']) => {
    const poll = samplePoll({ status, votesCount: 2, createdAt: '2026-11-26T12:00:00.000Z', closesAt });
    // The screen's clock is updated every 30 s.
    return renderToStaticMarkup(
      <VotesOverTime poll={poll} userId={100} nowMs={Date.parse(closesAt) - 10_000} />,
    );
  };
  expect(renderWith('active')).toContain('>now<');
  expect(renderWith('expired')).not.toContain('>now<');
});
