import { parseArgs } from 'node:util';
import { checkSafeguards } from './mutations/check-safeguards.ts';
import { MUTATED_PARTS, type PartName, runStryker } from './mutations/run-stryker.ts';

/**
 * Mutation tests: `device` and `server` are the parts that Stryker mutates, `safeguards` the list by hand. Without a
 * part: all three. After a part, files of it: those alone. `--force` tries again what has not changed, too. Exits with 1
 * when the tests noticed too little.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { force: { type: 'boolean', default: false } },
});
const SAFEGUARDS = 'safeguards';
const parts = Object.keys(MUTATED_PARTS).filter((name): name is PartName => name in MUTATED_PARTS);
const [wanted, ...only] = positionals;
if (wanted !== undefined && wanted !== SAFEGUARDS && !parts.some((name) => name === wanted)) {
  throw new Error(`There is no part ${wanted}; there are ${[...parts, SAFEGUARDS].join(', ')}`);
}

for (const name of parts.filter((part) => wanted === undefined || part === wanted)) {
  await runStryker(name, { only, isForced: values.force });
}
if ((wanted === undefined || wanted === SAFEGUARDS) && !checkSafeguards()) process.exitCode = 1;
