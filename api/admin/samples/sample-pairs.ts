import { join } from 'node:path';

/** `illustration` names a file in `illustrations/`. */
type Option = { illustration: string; caption: string };

/** Two illustrations that belong together, and what can be asked about them. */
export type SamplePair = { options: readonly [Option, Option]; questions: readonly string[] };

export const SAMPLE_PAIRS: readonly SamplePair[] = [
  {
    options: [
      { illustration: 'cat', caption: 'The cat' },
      { illustration: 'dog', caption: 'The dog' },
    ],
    questions: [
      'Who runs this house?',
      'Whose photo goes on the fridge?',
      'Who gets the warm spot on the sofa?',
    ],
  },
  {
    options: [
      { illustration: 'coffee', caption: 'Coffee' },
      { illustration: 'green-tea', caption: 'Green tea' },
    ],
    questions: [
      'First cup of the day?',
      'Three in the afternoon. What do you pour?',
      'What do you offer a guest?',
    ],
  },
  {
    options: [
      { illustration: 'vinyl', caption: 'Vinyl' },
      { illustration: 'cassette', caption: 'Cassette' },
    ],
    questions: [
      'What goes on the shelf?',
      'Your favourite album: how do you want it?',
      'Which one sounds like home?',
    ],
  },
  {
    options: [
      { illustration: 'beach', caption: 'Beach' },
      { illustration: 'mountains', caption: 'Mountains' },
    ],
    questions: [
      'Two free days in June. Sand or summit?',
      'Where do you think best?',
      'Which view from the window?',
    ],
  },
  {
    options: [
      { illustration: 'town', caption: 'Town' },
      { illustration: 'countryside', caption: 'Countryside' },
    ],
    questions: [
      'Sunday afternoon: town or countryside?',
      'Where should we live next?',
      'Where is the better evening?',
    ],
  },
  {
    options: [
      { illustration: 'mustard-sofa', caption: 'Mustard' },
      { illustration: 'green-sofa', caption: 'Bottle green' },
    ],
    questions: [
      'Which sofa for the new flat?',
      'Which one would you fall asleep on?',
      'Which sofa lasts ten years?',
    ],
  },
  {
    options: [
      { illustration: 'doughnut', caption: 'Doughnut' },
      { illustration: 'ice-lolly', caption: 'Ice lolly' },
    ],
    questions: [
      'It is 32 degrees. You get one treat.',
      'What do you bring to the park?',
      'Who deserves the last one?',
    ],
  },
  {
    options: [
      { illustration: 'strawberry', caption: 'Strawberries' },
      { illustration: 'watermelon', caption: 'Watermelon' },
    ],
    questions: [
      'What tastes most of summer?',
      'One bowl for the whole table. Of what?',
      'Which one goes into the picnic basket?',
    ],
  },
  {
    options: [
      { illustration: 'pineapple', caption: 'Pineapple' },
      { illustration: 'lemon', caption: 'Lemon' },
    ],
    questions: ['What goes into the jug?', 'Sweet or sour?', 'Which flavour for the sorbet?'],
  },
  {
    options: [
      { illustration: 'pizza', caption: 'Pizza' },
      { illustration: 'burger', caption: 'Burger' },
    ],
    questions: [
      'Friday night, nobody cooks.',
      'The last meal before the diet?',
      'What do we order for the match?',
    ],
  },
  {
    options: [
      { illustration: 'pancakes', caption: 'Pancakes' },
      { illustration: 'fried-egg', caption: 'Fried egg' },
    ],
    questions: [
      'Sunday breakfast: sweet or savoury?',
      'What is worth getting up for?',
      'Breakfast in bed. What is on the tray?',
    ],
  },
  {
    options: [
      { illustration: 'bicycle', caption: 'Bicycle' },
      { illustration: 'tram', caption: 'Tram' },
    ],
    questions: ['How do you get to work?', 'It might rain. How do we go?', 'What makes a city a good one?'],
  },
  {
    options: [
      { illustration: 'tent', caption: 'Tent' },
      { illustration: 'caravan', caption: 'Caravan' },
    ],
    questions: [
      'A week by the lake. Where do we sleep?',
      'Which one fits you better?',
      'First holiday with the children?',
    ],
  },
  {
    options: [
      { illustration: 'autumn-tree', caption: 'Autumn' },
      { illustration: 'blossom-tree', caption: 'Spring' },
    ],
    questions: [
      'The better season for a wedding?',
      'When is the park at its best?',
      'One season all year round?',
    ],
  },
  {
    options: [
      { illustration: 'sandcastle', caption: 'Sandcastle' },
      { illustration: 'snowman', caption: 'Snowman' },
    ],
    questions: [
      'What would you rather build?',
      'Heat or snow in the holidays?',
      'Which one do you miss from childhood?',
    ],
  },
  {
    options: [
      { illustration: 'football', caption: 'Football' },
      { illustration: 'tennis', caption: 'Tennis' },
    ],
    questions: ['What do we play on Saturday?', 'Which final do you watch?', 'A present for a ten-year-old?'],
  },
  {
    options: [
      { illustration: 'chess', caption: 'Chess' },
      { illustration: 'dice', caption: 'Dice' },
    ],
    questions: ['A rainy evening: think or gamble?', 'Skill or luck?', 'Which one comes along on the train?'],
  },
  {
    options: [
      { illustration: 'book-stack', caption: 'Book' },
      { illustration: 'headphones', caption: 'Audiobook' },
    ],
    questions: [
      'How do you get through a long novel?',
      'Ten hours on a train. What do you pack?',
      'What helps you fall asleep?',
    ],
  },
  {
    options: [
      { illustration: 'typewriter', caption: 'Typewriter' },
      { illustration: 'pencils', caption: 'Pencils' },
    ],
    questions: [
      'How would you write a love letter?',
      'What looks better on the desk?',
      'Where do the best ideas come from?',
    ],
  },
  {
    options: [
      { illustration: 'cactus', caption: 'Cactus' },
      { illustration: 'monstera', caption: 'Monstera' },
    ],
    questions: [
      'Which plant survives with you?',
      'What goes into the empty corner?',
      'Which one do you give a new neighbour?',
    ],
  },
  {
    options: [
      { illustration: 'sneaker', caption: 'Trainers' },
      { illustration: 'boot', caption: 'Boots' },
    ],
    questions: [
      'One pair for the whole trip?',
      'It might rain later. What do you put on?',
      'What lasts longer with you?',
    ],
  },
  {
    options: [
      { illustration: 'rocket', caption: 'Rocket' },
      { illustration: 'submarine', caption: 'Submarine' },
    ],
    questions: [
      'There is one free seat. Up or down?',
      'What scares you less?',
      'Which one do you send your boss on?',
    ],
  },
  {
    options: [
      { illustration: 'guitar', caption: 'Guitar' },
      { illustration: 'piano', caption: 'Piano' },
    ],
    questions: [
      'Which one should I learn at forty?',
      'What makes the better party?',
      'Which one do the neighbours forgive?',
    ],
  },
];

/** The path of an illustration's SVG file. */
export function illustrationPath(name: string): string {
  return join(import.meta.dirname, 'illustrations', `${name}.svg`);
}
