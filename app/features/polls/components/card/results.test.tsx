import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { samplePoll } from '#sync/testing/samples.ts';
import { Results } from './results.tsx';

test.each([
  ['active', '>No votes yet<'],
  ['expired', '>No votes<'],
] as const)('the results of an %s poll without votes are %s', (status, text) => {
  const poll = samplePoll({ status, votesCount: 0 });
  const html = renderToStaticMarkup(<Results poll={poll} cardState={{ kind: 'closed' }} justVoted={false} />);
  expect(html).toContain(text);
});
