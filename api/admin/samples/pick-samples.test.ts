import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAPTION_MAX_LENGTH, QUESTION_MAX_LENGTH } from '#shared/polls/constants.ts';
import { pickSamples } from './pick-samples.ts';
import { illustrationPath, SAMPLE_PAIRS } from './sample-pairs.ts';

test('there are at least 40 different illustrations and 60 different questions', () => {
  const names = SAMPLE_PAIRS.flatMap(({ options }) => options.map(({ illustration }) => illustration));
  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(new Set(names).size).toBe(names.length);
  const illustrations = names.map((name) => readFileSync(illustrationPath(name), 'utf8'));
  expect(new Set(illustrations).size).toBe(names.length);
  const questions = SAMPLE_PAIRS.flatMap((pair) => pair.questions);
  expect(new Set(questions).size).toBe(questions.length);
  expect(questions.length).toBeGreaterThanOrEqual(60);
  for (const question of questions) expect(question.length).toBeLessThanOrEqual(QUESTION_MAX_LENGTH);
  for (const { options } of SAMPLE_PAIRS) {
    for (const { caption } of options) expect(caption.length).toBeLessThanOrEqual(CAPTION_MAX_LENGTH);
  }
});

test('a series of samples is the same if it is picked in parts, and uses every pair before repeating one', () => {
  const samples = pickSamples('a series', 0, 500);
  expect([...pickSamples('a series', 0, 210), ...pickSamples('a series', 210, 500)]).toEqual(samples);
  expect(pickSamples('another series', 0, 500)).not.toEqual(samples);
  for (let start = 0; start + SAMPLE_PAIRS.length <= samples.length; start += SAMPLE_PAIRS.length) {
    const round = samples.slice(start, start + SAMPLE_PAIRS.length);
    const names = round.flatMap(({ options }) => options.map(({ illustration }) => illustration));
    expect(new Set(names).size).toBe(SAMPLE_PAIRS.length * 2);
  }
  expect(new Set(samples.map(({ question }) => question)).size).toBeGreaterThanOrEqual(60);
  expect(new Set(samples.map(({ responsesWanted }) => responsesWanted)).size).toBeGreaterThan(3);
  expect(new Set(samples.map(({ duration }) => duration)).size).toBeGreaterThan(3);
});
