import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';

/** A row of the table. `faults` describes the injected faults and the measurements. */
export type Row = {
  number: number;
  name: string;
  /** '' if all tests use the same database. */
  database: '' | 'embedded' | 'postgres';
  load: string;
  faults: string;
  violations: string[];
  seconds: number;
};

declare module 'vitest' {
  interface TaskMeta {
    row?: Row;
  }
}

/** Only ends a test that hangs; all timeouts in the tests are shorter. */
const TIMEOUT_MS = 45 * 60_000;

/** How a test reports to the table. */
export type Report = {
  /** Adds a fault or a measurement. */
  record(text: string): void;
  /** Adds a violation unless `holds`. */
  check(holds: boolean, violation: string): void;
  /** Adds a violation with the actual value unless both values are equal. */
  checkEqual(label: string, actual: unknown, expected: unknown): void;
};

/** The system under test. `findViolations` stops it and checks all invariants. */
type Subject = { findViolations(): Promise<string[]>; remove(): Promise<void> };

/** Defines a test with a row of the table. A violation does not end the test, so that the table shows all of them. */
export function tableTest<Tested extends Subject>(
  { number, name, database, load }: Pick<Row, 'number' | 'name' | 'database' | 'load'>,
  open: () => Promise<Tested>,
  run: (tested: Tested, report: Report) => Promise<void>,
): void {
  test(`${number} ${name}`, { timeout: TIMEOUT_MS }, async ({ task }) => {
    const startedMs = performance.now();
    const violations: string[] = [];
    const notes: string[] = [];
    const tested = await open();
    const check = (holds: boolean, violation: string) => {
      if (!holds) violations.push(violation);
    };
    try {
      await run(tested, {
        record: (text) => notes.push(text),
        check,
        checkEqual: (label, actual, expected) =>
          check(isDeepStrictEqual(actual, expected), `${label}: ${JSON.stringify(actual)}`),
      });
      violations.push(...(await tested.findViolations()));
    } catch (error) {
      violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      await tested.remove();
      const faults = notes.length === 0 ? 'none' : notes.join('; ');
      const seconds = (performance.now() - startedMs) / 1_000;
      task.meta.row = { number, name, database, load, faults, violations, seconds };
    }
    expect(violations).toEqual([]);
  });
}
