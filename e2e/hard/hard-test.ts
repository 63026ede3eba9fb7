import { inject } from 'vitest';
import { createStage, type Stage } from './stage.ts';
import { type Report, type Row, tableTest } from './table-test.ts';

/**
 * Defines a hard test: a race, a crash or an overload of a real server process (docs/reliability.md). The test has its own
 * server, whose invariants are checked at the end.
 */
export function hardTest(
  row: Pick<Row, 'number' | 'name' | 'load'>,
  run: (stage: Stage, report: Report) => Promise<void>,
): void {
  tableTest({ ...row, database: inject('testDatabase').kind }, createStage, run);
}
