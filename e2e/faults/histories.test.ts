import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { leftFiles, lostImages, sweepFiles } from './left-files.ts';
import { play } from './play.ts';
import { settingArbitrary, stepArbitrary } from './steps.ts';
import { createWorld } from './world.ts';

const { FAULT_HISTORIES, FAULT_PATH, FAULT_SEED } = process.env;
/** A run that did not ask for a number plays the same histories each time: it tells of the change, not of chance. */
const USUAL = { histories: 100, seed: 20_261_122 };
const newSeed = () => (FAULT_HISTORIES === undefined ? USUAL.seed : Date.now() % 2 ** 31);
const HISTORIES = Number(FAULT_HISTORIES ?? USUAL.histories);
const SEED = FAULT_SEED === undefined ? newSeed() : Number(FAULT_SEED);
/** On a machine that has much else to do; as long as it takes, so that no history is left out. */
const TIMEOUT_MS = 60_000 + HISTORIES * 10_000;

/** By then a history hangs: it is told with its path, whatever the others do. */
const HISTORY_TIMEOUT_MS = 180_000;

const world = await createWorld();
afterAll(() => world.close());

/** Refused creations leave nothing behind; only what a broken commit or a killed server has left is for the sweep. */
async function checkFiles(): Promise<void> {
  if (world.cluster.mayHaveLeftFiles) await sweepFiles(world);
  world.cluster.mayHaveLeftFiles = false;
  expect(await leftFiles(world)).toEqual([]);
}

test(`${HISTORIES} random histories through a network that loses, cuts, doubles and lies`, {
  timeout: TIMEOUT_MS,
}, async ({ annotate }) => {
  let played = 0;
  const history = fc.asyncProperty(
    settingArbitrary,
    fc.array(stepArbitrary, { minLength: 5, maxLength: 30 }),
    async (setting, steps) => {
      played += 1;
      await play(world, setting, steps);
      await checkFiles();
    },
  );
  // To look for the shortest history that fails can take hours: only when asked for.
  const isShrunk = process.env.FAULT_SHRINK === 'on';
  await fc.assert(history, {
    numRuns: HISTORIES,
    timeout: HISTORY_TIMEOUT_MS,
    seed: SEED,
    ...(FAULT_PATH === undefined ? {} : { path: FAULT_PATH }),
    endOnFailure: !isShrunk,
  });
  expect(played).toBe(HISTORIES);
  await annotate(`${played} histories played, seed ${SEED}`);
  const counts = Object.fromEntries(world.happenings.counts);
  await annotate(`happened: ${JSON.stringify(counts)}`);
  if (HISTORIES >= USUAL.histories) expect(world.happenings.missed).toEqual([]);
  // The sweep takes nothing that belongs to a poll.
  await sweepFiles(world);
  expect(await lostImages(world)).toEqual([]);
});
