import { createHash } from 'node:crypto';
import { SAMPLE_PAIRS, type SamplePair } from './sample-pairs.ts';

const RESPONSES_WANTED = [10, 20, 25, 50, 100] as const;
const DURATIONS_DAYS = [1, 3, 7, 14, 30] as const;

/** What a sample poll shows and asks. `duration` in days. */
export type Sample = Pick<SamplePair, 'options'> & {
  question: string;
  responsesWanted: number;
  duration: number;
};

/**
 * The samples number `from` up to and without `to` of a series: the same for the same `series`, so that one that was
 * interrupted goes on as it began. No pair comes again before all others had their turn.
 */
export function pickSamples(series: string, from: number, to: number): Sample[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => pickSample(series, from + index));
}

function pickSample(series: string, number: number): Sample {
  const round = Math.floor(number / SAMPLE_PAIRS.length);
  const order = SAMPLE_PAIRS.map((_, place) => ({ place, key: chance(series, round, place) }))
    .sort((a, b) => a.key - b.key)
    .map(({ place }) => place);
  const place = order[number % SAMPLE_PAIRS.length] ?? 0;
  const pair = SAMPLE_PAIRS[place];
  if (pair === undefined) throw new Error('There are no pairs.');
  const [one, two] = pair.options;
  return {
    options: chance(series, number, 'sides') < 0.5 ? [one, two] : [two, one],
    question: choose(pair.questions, chance(series, place, 'question') + round / pair.questions.length),
    responsesWanted: choose(RESPONSES_WANTED, chance(series, number, 'wanted')),
    duration: choose(DURATIONS_DAYS, chance(series, number, 'days')),
  };
}

/** A number from 0 to below 1 that looks random, and is the same for the same words. */
function chance(...words: readonly (string | number)[]): number {
  return createHash('sha1').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;
}

/** The item at this part of the list; past 1 it begins again. */
function choose<Item>(items: readonly Item[], part: number): Item {
  const item = items[Math.floor((part % 1) * items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}
