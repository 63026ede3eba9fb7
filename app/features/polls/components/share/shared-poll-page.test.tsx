import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test } from 'vitest';
import type { SharedPoll } from '#shared/polls/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { SharedPollPage } from './shared-poll-page.tsx';

function renderPage(changes: Partial<SharedPoll>, hasAccount = false): string {
  const poll: SharedPoll = {
    ...samplePoll(),
    results: null,
    shareUrl: 'https://polls.example.org/s/x',
    ...changes,
  };
  return renderToStaticMarkup(
    <MemoryRouter>
      <SharedPollPage poll={poll} hasAccount={hasAccount} chosen={null} onVote={() => {}} />
    </MemoryRouter>,
  );
}

test('an open poll has a button for each option and shows no results', () => {
  const html = renderPage({ status: 'active', option1Caption: 'Beach', option2Caption: null });
  expect(html.match(/<button/g)).toHaveLength(2);
  expect(html).toContain('Beach');
  expect(html).toContain('Option B');
  expect(html).toContain('Pick one, then sign up and your vote counts.');
  expect(renderPage({ status: 'active' }, true)).toContain('Pick one, then log in and your vote counts.');
  expect(html.replaceAll(/<[^>]*>/g, ' ')).not.toMatch(/\d ?%|\d votes?/);
});

test.each(['completed', 'expired'] as const)(
  'a poll that is %s has no buttons and suggests signing up',
  (status) => {
    const html = renderPage({ status, results: { option1: 38, option2: 62 } });
    expect(html).not.toContain('<button');
    expect(html).toContain('The crowd has decided. What do you want to know from it?');
    expect(html).toContain('Sign up and ask');
  },
);

test('a poll that has ended without a vote does not say that the crowd has decided', () => {
  const html = renderPage({ status: 'expired', closedEarly: true, results: { option1: 0, option2: 0 } });
  expect(html).toContain('No votes came in. What do you want to know from the crowd?');
  expect(html).not.toContain('decided');
});

test('the prerendered page has no inline styles, not even for the bar of the results', () => {
  expect(renderPage({ status: 'active' })).not.toContain('style=');
  const results = { option1: 38, option2: 62 };
  expect(renderPage({ status: 'expired', results })).not.toContain('style=');
});
