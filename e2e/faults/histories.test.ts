import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { missingImages, orphanedFiles, sweepFiles } from './image-files.ts';
import { runHistory } from './run-history.ts';
import { settingArbitrary, stepArbitrary } from './steps.ts';
import { createWorld } from './world.ts';

const { FAULT_HISTORIES, FAULT_PATH, FAULT_SEED } = process.env;
/** Without FAULT_HISTORIES each run has the same histories, so that a failure is caused by a change of the code. */
const DEFAULTS = { histories: 100, seed: 20_261_122 };
const newSeed = () => (FAULT_HISTORIES === undefined ? DEFAULTS.seed : Date.now() % 2 ** 31);
const HISTORIES = Number(FAULT_HISTORIES ?? DEFAULTS.histories);
const SEED = FAULT_SEED === undefined ? newSeed() : Number(FAULT_SEED);
/** Long enough for all histories on a busy machine. */
const TIMEOUT_MS = 60_000 + HISTORIES * 10_000;

/** A history that takes longer counts as hanging, and fails with its path. */
const HISTORY_TIMEOUT_MS = 180_000;

const world = await createWorld();
afterAll(() => world.close());

/** Expects no orphaned files. Only broken commits, killed servers and restores may leave some, which the sweep removes first. */
async function checkFiles(): Promise<void> {
  if (world.cluster.mayHaveOrphanedFiles) await sweepFiles(world);
  world.cluster.mayHaveOrphanedFiles = false;
  expect(await orphanedFiles(world)).toEqual([]);
}

test(`all invariants hold after each of ${HISTORIES} random histories with faults`, {
  timeout: TIMEOUT_MS,
}, async ({ annotate }) => {
  let histories = 0;
  const everyHistory = fc.asyncProperty(
    settingArbitrary,
    fc.array(stepArbitrary, { minLength: 5, maxLength: 30 }),
    async (setting, steps) => {
      histories += 1;
      await runHistory(world, setting, steps);
      await checkFiles();
    },
  );
  // Shrinking can take hours.
  const shrinksFailure = process.env.FAULT_SHRINK === 'on';
  await fc.assert(everyHistory, {
    numRuns: HISTORIES,
    timeout: HISTORY_TIMEOUT_MS,
    seed: SEED,
    ...(FAULT_PATH === undefined ? {} : { path: FAULT_PATH }),
    endOnFailure: !shrinksFailure,
  });
  expect(histories).toBe(HISTORIES);
  await annotate(`${histories} histories, seed ${SEED}`);
  const counts = Object.fromEntries(world.coverage.counts);
  await annotate(`events: ${JSON.stringify(counts)}`);
  if (HISTORIES >= DEFAULTS.histories) expect(world.coverage.missing).toEqual([]);
  // The sweep removes no image of a poll.
  await sweepFiles(world);
  expect(await missingImages(world)).toEqual([]);
});
