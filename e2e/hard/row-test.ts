import { expect, test } from 'vitest';

/** A line of the table. `faults` has what was done to the server, and figures. */
export type Row = {
  number: number;
  name: string;
  /** '' where there is one for all. */
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

/** One that hangs ends at last; no limit of its own is that long. */
const TIMEOUT_MS = 45 * 60_000;

/** What a test tells the table. */
export type Report = {
  /** Notes what was done to the server, or a figure. */
  note(text: string): void;
  /** Notes a violation unless `holds`. */
  check(holds: boolean, violation: string): void;
};

/** What a test is about; it ends with everything that must hold and does not. */
type Subject = { findViolations(): Promise<string[]>; remove(): Promise<void> };

/** A test with a line of the table. A violation does not end it: the table names all. */
export function rowTest<Tested extends Subject>(
  { number, name, database, load }: Pick<Row, 'number' | 'name' | 'database' | 'load'>,
  open: () => Promise<Tested>,
  run: (tested: Tested, report: Report) => Promise<void>,
): void {
  test(`${number} ${name}`, { timeout: TIMEOUT_MS }, async ({ task }) => {
    const startedMs = performance.now();
    const violations: string[] = [];
    const notes: string[] = [];
    const tested = await open();
    try {
      await run(tested, {
        note: (text) => notes.push(text),
        check: (holds, violation) => {
          if (!holds) violations.push(violation);
        },
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
