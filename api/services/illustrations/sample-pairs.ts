import { cat, dog } from './animals.ts';
import { coffee, greenTea } from './drinks.ts';
import { cassette, vinyl } from './music.ts';
import { beach, countryside, mountains, town } from './places.ts';
import { greenSofa, mustardSofa } from './rooms.ts';
import { doughnut, iceLolly } from './treats.ts';

type Option = { caption: string; draw: () => string };

/** Two drawings that belong together, and what can be asked about them. */
export type SamplePair = { options: readonly [Option, Option]; questions: readonly string[] };

const option = (draw: () => string, caption: string): Option => ({ draw, caption });

/** Each drawing is a function of its own name, by which it is kept. */
export const SAMPLE_PAIRS: readonly SamplePair[] = [
  {
    options: [option(cat, 'The cat'), option(dog, 'The dog')],
    questions: [
      'Who runs this house?',
      'Whose photo goes on the fridge?',
      'Who gets the warm spot on the sofa?',
    ],
  },
  {
    options: [option(coffee, 'Coffee'), option(greenTea, 'Green tea')],
    questions: [
      'First cup of the day?',
      'Three in the afternoon. What do you pour?',
      'What do you offer a guest?',
    ],
  },
  {
    options: [option(vinyl, 'Vinyl'), option(cassette, 'Cassette')],
    questions: [
      'What goes on the shelf?',
      'Your favourite album: how do you want it?',
      'Which one sounds like home?',
    ],
  },
  {
    options: [option(beach, 'Beach'), option(mountains, 'Mountains')],
    questions: [
      'Two free days in June. Sand or summit?',
      'Where do you think best?',
      'Which view from the window?',
    ],
  },
  {
    options: [option(town, 'Town'), option(countryside, 'Countryside')],
    questions: [
      'Sunday afternoon: town or countryside?',
      'Where should we live next?',
      'Where is the better evening?',
    ],
  },
  {
    options: [option(mustardSofa, 'Mustard'), option(greenSofa, 'Bottle green')],
    questions: [
      'Which sofa for the new flat?',
      'Which one would you fall asleep on?',
      'Which sofa lasts ten years?',
    ],
  },
  {
    options: [option(doughnut, 'Doughnut'), option(iceLolly, 'Ice lolly')],
    questions: [
      'It is 32 degrees. You get one treat.',
      'What do you bring to the park?',
      'Who deserves the last one?',
    ],
  },
];
