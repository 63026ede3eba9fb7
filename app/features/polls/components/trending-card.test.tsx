import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test, vi } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';

const media = Object.assign(new EventTarget(), { matches: false });
vi.stubGlobal('matchMedia', () => media);
const { TrendingCard } = await import('./trending-card.tsx');

test.each([
  ['a phone', false],
  ['a desktop', true],
])(
  'on %s, a trending poll shows the time left while it is open, then that it is closed',
  (_device, isDesktop) => {
    media.matches = isDesktop;
    const closesAtMs = Date.parse(samplePoll().closesAt);
    const cardOf = (status: Poll['status']) =>
      renderToStaticMarkup(
        <MemoryRouter>
          <TrendingCard
            isOnly={false}
            view={{ poll: samplePoll({ status }), vote: null, voteOp: null, createOp: null }}
            nowMs={closesAtMs - 60_000}
          />
        </MemoryRouter>,
      );
    expect(cardOf('active')).toContain('1 minute left');
    expect(cardOf('expired')).toContain('Closed');
    expect(cardOf('expired')).not.toContain('minute left');
  },
);
