import { parseArgs } from 'node:util';
import { checkSafeguards } from './mutations/check-safeguards.ts';
import { MUTATED_PARTS, type PartName, runStryker } from './mutations/run-stryker.ts';

/**
 * Runs mutation tests. The first argument selects a part, by default all three: Stryker mutates `device` and `server`, and
 * `safeguards` removes the safeguards listed in mutations.ts. Further arguments limit Stryker to some files of the part, and
 * `--force` makes it test mutants again whose results are cached. Exits with 1 if too few mutants were detected.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { force: { type: 'boolean', default: false } },
});
const SAFEGUARDS = 'safeguards';
const parts = Object.keys(MUTATED_PARTS).filter((name): name is PartName => name in MUTATED_PARTS);
const [selected, ...files] = positionals;
if (selected !== undefined && selected !== SAFEGUARDS && !parts.some((name) => name === selected)) {
  throw new Error(`Unknown part ${selected}: use ${[...parts, SAFEGUARDS].join(', ')}`);
}

for (const name of parts.filter((part) => selected === undefined || part === selected)) {
  await runStryker(name, { files, isForced: values.force });
}
if ((selected === undefined || selected === SAFEGUARDS) && !checkSafeguards()) process.exitCode = 1;
