import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DurationAndResponsesFields } from './create-poll-fields.tsx';

test('the slider still shows the number of responses, and can be moved, after the points have become fewer', () => {
  const texts = {
    pollId: 'p1',
    question: '',
    captions: { 1: '', 2: '' },
    durationDays: 3,
    responsesWanted: 30,
  };
  const markup = renderToStaticMarkup(
    <DurationAndResponsesFields texts={texts} maxResponses={10} onChange={() => undefined} />,
  );
  expect(markup).toMatch(/<input [^>]*type="range" min="10" max="30"[^>]* value="30"/);
});
