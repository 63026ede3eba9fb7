import { expect, test } from 'vitest';
import { CAPTION_MAX_LENGTH, QUESTION_MAX_LENGTH } from '#shared/polls/constants.ts';
import { pickSamples } from './pick-samples.ts';
import { SAMPLE_PAIRS } from './sample-pairs.ts';

test('there are at least 40 drawings, each with a name of its own, and 60 ways to ask about them', () => {
  const draws = SAMPLE_PAIRS.flatMap(({ options }) => options.map(({ draw }) => draw));
  expect(draws.length).toBeGreaterThanOrEqual(40);
  expect(new Set(draws.map((draw) => draw.name)).size).toBe(draws.length);
  expect(new Set(draws.map((draw) => draw())).size).toBe(draws.length);
  const questions = SAMPLE_PAIRS.flatMap((pair) => pair.questions);
  expect(new Set(questions).size).toBe(questions.length);
  expect(questions.length).toBeGreaterThanOrEqual(60);
  for (const question of questions) expect(question.length).toBeLessThanOrEqual(QUESTION_MAX_LENGTH);
  for (const { options } of SAMPLE_PAIRS) {
    for (const { caption } of options) expect(caption.length).toBeLessThanOrEqual(CAPTION_MAX_LENGTH);
  }
});

test('a series is the same however it is cut, and shows every pair before one comes again', () => {
  const whole = pickSamples('a series', 0, 500);
  expect([...pickSamples('a series', 0, 210), ...pickSamples('a series', 210, 500)]).toEqual(whole);
  expect(pickSamples('another series', 0, 500)).not.toEqual(whole);
  const round = whole.slice(0, SAMPLE_PAIRS.length);
  const names = round.flatMap(({ options }) => options.map(({ draw }) => draw.name));
  expect(new Set(names).size).toBe(SAMPLE_PAIRS.length * 2);
  expect(new Set(whole.map(({ question }) => question)).size).toBeGreaterThanOrEqual(60);
  expect(new Set(whole.map(({ responsesWanted }) => responsesWanted)).size).toBeGreaterThan(3);
  expect(new Set(whole.map(({ duration }) => duration)).size).toBeGreaterThan(3);
});
