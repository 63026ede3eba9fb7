import { join } from 'node:path';

type Option = { illustration: string; caption: string };

/** Two illustrations that belong together, and what can be asked about them. */
export type SamplePair = { options: readonly [Option, Option]; questions: readonly string[] };

/** `captions`: the captions of two illustrations, keyed by the names of their files in `illustrations/`. */
function pair(captions: Readonly<Record<string, string>>, questions: readonly string[]): SamplePair {
  const [one, two] = Object.entries(captions).map(([illustration, caption]) => ({ illustration, caption }));
  if (one === undefined || two === undefined) throw new Error('A pair has two illustrations.');
  return { options: [one, two], questions };
}

export const SAMPLE_PAIRS: readonly SamplePair[] = [
  pair({ cat: 'The cat', dog: 'The dog' }, [
    'Who runs this house?',
    'Whose photo goes on the fridge?',
    'Who gets the warm spot on the sofa?',
  ]),
  pair({ coffee: 'Coffee', 'green-tea': 'Green tea' }, [
    'First cup of the day?',
    'Three in the afternoon. What do you pour?',
    'What do you offer a guest?',
  ]),
  pair({ vinyl: 'Vinyl', cassette: 'Cassette' }, [
    'What goes on the shelf?',
    'Your favourite album: how do you want it?',
    'Which one sounds like home?',
  ]),
  pair({ beach: 'Beach', mountains: 'Mountains' }, [
    'Two free days in June. Sand or summit?',
    'Where do you think best?',
    'Which view from the window?',
  ]),
  pair({ town: 'Town', countryside: 'Countryside' }, [
    'Sunday afternoon: town or countryside?',
    'Where should we live next?',
    'Where is the better evening?',
  ]),
  pair({ 'mustard-sofa': 'Mustard', 'green-sofa': 'Bottle green' }, [
    'Which sofa for the new flat?',
    'Which one would you fall asleep on?',
    'Which sofa lasts ten years?',
  ]),
  pair({ doughnut: 'Doughnut', 'ice-lolly': 'Ice lolly' }, [
    'It is 32 degrees. You get one treat.',
    'What do you bring to the park?',
    'Who deserves the last one?',
  ]),
  pair({ strawberry: 'Strawberries', watermelon: 'Watermelon' }, [
    'What tastes most of summer?',
    'One bowl for the whole table. Of what?',
    'Which one goes into the picnic basket?',
  ]),
  pair({ pineapple: 'Pineapple', lemon: 'Lemon' }, [
    'What goes into the jug?',
    'Sweet or sour?',
    'Which flavour for the sorbet?',
  ]),
  pair({ pizza: 'Pizza', burger: 'Burger' }, [
    'Friday night, nobody cooks.',
    'The last meal before the diet?',
    'What do we order for the match?',
  ]),
  pair({ pancakes: 'Pancakes', 'fried-egg': 'Fried egg' }, [
    'Sunday breakfast: sweet or savoury?',
    'What is worth getting up for?',
    'Breakfast in bed. What is on the tray?',
  ]),
  pair({ bicycle: 'Bicycle', tram: 'Tram' }, [
    'How do you get to work?',
    'It might rain. How do we go?',
    'What makes a city a good one?',
  ]),
  pair({ tent: 'Tent', caravan: 'Caravan' }, [
    'A week by the lake. Where do we sleep?',
    'Which one fits you better?',
    'First holiday with the children?',
  ]),
  pair({ 'autumn-tree': 'Autumn', 'blossom-tree': 'Spring' }, [
    'The better season for a wedding?',
    'When is the park at its best?',
    'One season all year round?',
  ]),
  pair({ sandcastle: 'Sandcastle', snowman: 'Snowman' }, [
    'What would you rather build?',
    'Heat or snow in the holidays?',
    'Which one do you miss from childhood?',
  ]),
  pair({ football: 'Football', tennis: 'Tennis' }, [
    'What do we play on Saturday?',
    'Which final do you watch?',
    'A present for a ten-year-old?',
  ]),
  pair({ chess: 'Chess', dice: 'Dice' }, [
    'A rainy evening: think or gamble?',
    'Skill or luck?',
    'Which one comes along on the train?',
  ]),
  pair({ 'book-stack': 'Book', headphones: 'Audiobook' }, [
    'How do you get through a long novel?',
    'Ten hours on a train. What do you pack?',
    'What helps you fall asleep?',
  ]),
  pair({ typewriter: 'Typewriter', pencils: 'Pencils' }, [
    'How would you write a love letter?',
    'What looks better on the desk?',
    'Where do the best ideas come from?',
  ]),
  pair({ cactus: 'Cactus', monstera: 'Monstera' }, [
    'Which plant survives with you?',
    'What goes into the empty corner?',
    'Which one do you give a new neighbour?',
  ]),
  pair({ sneaker: 'Trainers', boot: 'Boots' }, [
    'One pair for the whole trip?',
    'It might rain later. What do you put on?',
    'What lasts longer with you?',
  ]),
  pair({ rocket: 'Rocket', submarine: 'Submarine' }, [
    'There is one free seat. Up or down?',
    'What scares you less?',
    'Which one do you send your boss on?',
  ]),
  pair({ guitar: 'Guitar', piano: 'Piano' }, [
    'Which one should I learn at forty?',
    'What makes the better party?',
    'Which one do the neighbours forgive?',
  ]),
];

export function illustrationPath(name: string): string {
  return join(import.meta.dirname, 'illustrations', `${name}.svg`);
}
