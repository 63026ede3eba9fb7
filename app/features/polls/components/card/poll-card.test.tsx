import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test, vi } from 'vitest';
import { samplePoll } from '#sync/testing/samples.ts';

// The module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { PollCard } = await import('./poll-card.tsx');

test('after a live update, the shown number of votes changes only together with the percentages', () => {
  const cardOf = (option1: number) =>
    renderToStaticMarkup(
      <MemoryRouter>
        <PollCard
          view={{
            poll: samplePoll({ isMine: true, votesCount: 4, results: { option1, option2: 1 } }),
            vote: null,
            voteOp: null,
            createOp: null,
          }}
          nowMs={0}
        />
      </MemoryRouter>,
    );
  // A live update changes only `votesCount`, and the results are fetched afterwards.
  const outdated = cardOf(1);
  expect(outdated).toContain('>50<');
  expect(outdated).toContain('2 votes');
  const current = cardOf(3);
  expect(current).toContain('>75<');
  expect(current).toContain('4 votes');
});
