/** A poll for screenshots and tests. */
export type Pair = {
  question: string;
  maker: string;
  captions: readonly [string, string];
  /** Names of files in `api/admin/samples/illustrations/`, without the extension. */
  illustrations: readonly [string, string];
  /** The number of votes for each option. */
  votes: readonly [number, number];
  durationDays: 1 | 3 | 7 | 30;
};

/** Ordered from the oldest to the newest. */
export const PAIRS: readonly Pair[] = [
  {
    question: 'It is 32 degrees. You get one treat.',
    maker: 'Priya',
    captions: ['Doughnut', 'Ice lolly'],
    illustrations: ['doughnut', 'ice-lolly'],
    votes: [3, 6],
    durationDays: 1,
  },
  {
    question: 'Who runs this house?',
    maker: 'samir',
    captions: ['The cat', 'The dog'],
    illustrations: ['cat', 'dog'],
    votes: [5, 4],
    durationDays: 3,
  },
  {
    question: 'Sunday afternoon: town or countryside?',
    maker: 'tomas',
    captions: ['Town', 'Countryside'],
    illustrations: ['town', 'countryside'],
    votes: [2, 4],
    durationDays: 7,
  },
  {
    question: 'What goes on the shelf?',
    maker: 'nina.k',
    captions: ['Vinyl', 'Cassette'],
    illustrations: ['vinyl', 'cassette'],
    votes: [4, 3],
    durationDays: 30,
  },
  {
    question: 'Which sofa for the new flat?',
    maker: 'ellie_w',
    captions: ['Mustard', 'Bottle green'],
    illustrations: ['mustard-sofa', 'green-sofa'],
    votes: [3, 2],
    durationDays: 3,
  },
  {
    question: 'Two free days in June. Sand or summit?',
    maker: 'jonas_k',
    captions: ['Beach', 'Mountains'],
    illustrations: ['beach', 'mountains'],
    votes: [2, 4],
    durationDays: 7,
  },
  {
    question: 'First cup of the day?',
    maker: 'mara.lind',
    captions: ['Coffee', 'Green tea'],
    illustrations: ['coffee', 'green-tea'],
    votes: [2, 2],
    durationDays: 3,
  },
];
