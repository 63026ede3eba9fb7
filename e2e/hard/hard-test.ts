import { inject } from 'vitest';
import { type Report, tableTest } from './table-test.ts';
import { createStage, type Stage } from './stage.ts';

/** A test with its own stage, whose invariants are checked at the end. */
export function hardTest(
  number: number,
  name: string,
  load: string,
  run: (stage: Stage, report: Report) => Promise<void>,
): void {
  tableTest({ number, name, database: inject('testDatabase').kind, load }, createStage, run);
}
