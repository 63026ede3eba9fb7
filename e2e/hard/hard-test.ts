import { inject } from 'vitest';
import { createStage, type Stage } from './stage.ts';
import { type Report, tableTest } from './table-test.ts';

/** A test with its own stage, whose invariants are checked at the end. */
export function hardTest(
  number: number,
  name: string,
  load: string,
  run: (stage: Stage, report: Report) => Promise<void>,
): void {
  tableTest({ number, name, database: inject('testDatabase').kind, load }, createStage, run);
}
