import { cat, dog } from '#api/admin/illustrations/animals.ts';
import { coffee, greenTea } from '#api/admin/illustrations/drinks.ts';
import { cassette, vinyl } from '#api/admin/illustrations/music.ts';
import { beach, countryside, mountains, town } from '#api/admin/illustrations/places.ts';
import { greenSofa, mustardSofa } from '#api/admin/illustrations/rooms.ts';
import { doughnut, iceLolly } from '#api/admin/illustrations/treats.ts';

/** A poll to show: who asks what, the two pictures as SVG, and how the crowd decides. */
export type Pair = {
  question: string;
  maker: string;
  captions: readonly [string, string];
  pictures: readonly [string, string];
  /** How many of the voters choose each option. */
  votes: readonly [number, number];
  durationDays: 1 | 3 | 7 | 30;
};

/** From the oldest to the newest. */
export const PAIRS: readonly Pair[] = [
  {
    question: 'It is 32 degrees. You get one treat.',
    maker: 'Priya',
    captions: ['Doughnut', 'Ice lolly'],
    pictures: [doughnut(), iceLolly()],
    votes: [3, 6],
    durationDays: 1,
  },
  {
    question: 'Who runs this house?',
    maker: 'samir',
    captions: ['The cat', 'The dog'],
    pictures: [cat(), dog()],
    votes: [5, 4],
    durationDays: 3,
  },
  {
    question: 'Sunday afternoon: town or countryside?',
    maker: 'tomas',
    captions: ['Town', 'Countryside'],
    pictures: [town(), countryside()],
    votes: [2, 4],
    durationDays: 7,
  },
  {
    question: 'What goes on the shelf?',
    maker: 'nina.k',
    captions: ['Vinyl', 'Cassette'],
    pictures: [vinyl(), cassette()],
    votes: [4, 3],
    durationDays: 30,
  },
  {
    question: 'Which sofa for the new flat?',
    maker: 'ellie_w',
    captions: ['Mustard', 'Bottle green'],
    pictures: [mustardSofa(), greenSofa()],
    votes: [3, 2],
    durationDays: 3,
  },
  {
    question: 'Two free days in June. Sand or summit?',
    maker: 'jonas_k',
    captions: ['Beach', 'Mountains'],
    pictures: [beach(), mountains()],
    votes: [2, 4],
    durationDays: 7,
  },
  {
    question: 'First cup of the day?',
    maker: 'mara.lind',
    captions: ['Coffee', 'Green tea'],
    pictures: [coffee(), greenTea()],
    votes: [2, 2],
    durationDays: 3,
  },
];
