import { createHash } from 'node:crypto';
import { SAMPLE_PAIRS, type SamplePair } from './sample-pairs.ts';

const RESPONSES_WANTED = [10, 20, 25, 50, 100] as const;
const DURATIONS_DAYS = [1, 3, 7, 14, 30] as const;

/** The content of a sample poll. `duration` is in days. */
export type Sample = Pick<SamplePair, 'options'> & {
  question: string;
  responsesWanted: number;
  duration: number;
};

/**
 * The samples from number `from` up to but not including `to`. The same `series` always gives the same samples, so that an
 * interrupted job can continue its series. A pair is repeated only after all others were used.
 */
export function pickSamples(series: string, from: number, to: number): Sample[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => pickSample(series, from + index));
}

function pickSample(series: string, number: number): Sample {
  const round = Math.floor(number / SAMPLE_PAIRS.length);
  const order = SAMPLE_PAIRS.map((_, pairIndex) => ({
    pairIndex,
    key: seededRandom(series, round, pairIndex),
  }))
    .sort((a, b) => a.key - b.key)
    .map(({ pairIndex }) => pairIndex);
  const pairIndex = order[number % SAMPLE_PAIRS.length] ?? 0;
  const pair = SAMPLE_PAIRS[pairIndex];
  if (pair === undefined) throw new Error('There are no pairs.');
  const [one, two] = pair.options;
  return {
    options: seededRandom(series, number, 'sides') < 0.5 ? [one, two] : [two, one],
    // In each round, the pair's next question.
    question: itemAt(
      pair.questions,
      seededRandom(series, pairIndex, 'question') + round / pair.questions.length,
    ),
    responsesWanted: itemAt(RESPONSES_WANTED, seededRandom(series, number, 'wanted')),
    duration: itemAt(DURATIONS_DAYS, seededRandom(series, number, 'days')),
  };
}

/** A pseudo-random number in [0, 1), always the same for the same parts. */
function seededRandom(...parts: readonly (string | number)[]): number {
  return createHash('sha1').update(parts.join(' ')).digest().readUInt32BE() / 2 ** 32;
}

/** The item at this fraction of the list; a fraction of 1 or more starts again from the beginning. */
function itemAt<Item>(items: readonly Item[], fraction: number): Item {
  const item = items[Math.floor((fraction % 1) * items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}
