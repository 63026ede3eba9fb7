import { cat, dog } from './animals.ts';
import { coffee, greenTea } from './drinks.ts';
import { lemon, pineapple, strawberry, watermelon } from './fruit.ts';
import { chess, dice, football, tennis } from './games.ts';
import { guitar, piano } from './instruments.ts';
import { burger, friedEgg, pancakes, pizza } from './meals.ts';
import { cassette, vinyl } from './music.ts';
import { beach, countryside, mountains, town } from './places.ts';
import { cactus, monstera } from './plants.ts';
import { bookStack, headphones, pencils, typewriter } from './reading.ts';
import { greenSofa, mustardSofa } from './rooms.ts';
import { autumnTree, blossomTree, sandcastle, snowman } from './seasons.ts';
import { boot, sneaker } from './shoes.ts';
import { bicycle, caravan, tent, tram } from './travel.ts';
import { doughnut, iceLolly } from './treats.ts';
import { rocket, submarine } from './voyages.ts';

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
  {
    options: [option(strawberry, 'Strawberries'), option(watermelon, 'Watermelon')],
    questions: [
      'What tastes most of summer?',
      'One bowl for the whole table. Of what?',
      'Which one goes into the picnic basket?',
    ],
  },
  {
    options: [option(pineapple, 'Pineapple'), option(lemon, 'Lemon')],
    questions: ['What goes into the jug?', 'Sweet or sour?', 'Which flavour for the sorbet?'],
  },
  {
    options: [option(pizza, 'Pizza'), option(burger, 'Burger')],
    questions: [
      'Friday night, nobody cooks.',
      'The last meal before the diet?',
      'What do we order for the match?',
    ],
  },
  {
    options: [option(pancakes, 'Pancakes'), option(friedEgg, 'Fried egg')],
    questions: [
      'Sunday breakfast: sweet or savoury?',
      'What is worth getting up for?',
      'Breakfast in bed. What is on the tray?',
    ],
  },
  {
    options: [option(bicycle, 'Bicycle'), option(tram, 'Tram')],
    questions: ['How do you get to work?', 'It might rain. How do we go?', 'What makes a city a good one?'],
  },
  {
    options: [option(tent, 'Tent'), option(caravan, 'Caravan')],
    questions: [
      'A week by the lake. Where do we sleep?',
      'Which one fits you better?',
      'First holiday with the children?',
    ],
  },
  {
    options: [option(autumnTree, 'Autumn'), option(blossomTree, 'Spring')],
    questions: [
      'The better season for a wedding?',
      'When is the park at its best?',
      'One season all year round?',
    ],
  },
  {
    options: [option(sandcastle, 'Sandcastle'), option(snowman, 'Snowman')],
    questions: [
      'What would you rather build?',
      'Heat or snow in the holidays?',
      'Which one do you miss from childhood?',
    ],
  },
  {
    options: [option(football, 'Football'), option(tennis, 'Tennis')],
    questions: ['What do we play on Saturday?', 'Which final do you watch?', 'A present for a ten-year-old?'],
  },
  {
    options: [option(chess, 'Chess'), option(dice, 'Dice')],
    questions: ['A rainy evening: think or gamble?', 'Skill or luck?', 'Which one comes along on the train?'],
  },
  {
    options: [option(bookStack, 'Book'), option(headphones, 'Audiobook')],
    questions: [
      'How do you get through a long novel?',
      'Ten hours on a train. What do you pack?',
      'What helps you fall asleep?',
    ],
  },
  {
    options: [option(typewriter, 'Typewriter'), option(pencils, 'Pencils')],
    questions: [
      'How would you write a love letter?',
      'What looks better on the desk?',
      'Where do the best ideas come from?',
    ],
  },
  {
    options: [option(cactus, 'Cactus'), option(monstera, 'Monstera')],
    questions: [
      'Which plant survives with you?',
      'What goes into the empty corner?',
      'Which one do you give a new neighbour?',
    ],
  },
  {
    options: [option(sneaker, 'Trainers'), option(boot, 'Boots')],
    questions: [
      'One pair for the whole trip?',
      'It might rain later. What do you put on?',
      'What lasts longer with you?',
    ],
  },
  {
    options: [option(rocket, 'Rocket'), option(submarine, 'Submarine')],
    questions: [
      'There is one free seat. Up or down?',
      'What scares you less?',
      'Which one do you send your boss on?',
    ],
  },
  {
    options: [option(guitar, 'Guitar'), option(piano, 'Piano')],
    questions: [
      'Which one should I learn at forty?',
      'What makes the better party?',
      'Which one do the neighbours forgive?',
    ],
  },
];
