import { expect, inject, test } from 'vitest';
import { createStage, type Stage } from './stage.ts';

/** A line of the table. `faults` has what was done to the server, and figures. */
export type Row = {
  number: number;
  name: string;
  database: 'embedded' | 'postgres';
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

/** A test with a stage of its own, which ends with the invariants. A violation does not end it: the table names all. */
export function hardTest(
  number: number,
  name: string,
  load: string,
  run: (stage: Stage, report: Report) => Promise<void>,
): void {
  test(`${number} ${name}`, { timeout: TIMEOUT_MS }, async ({ task }) => {
    const startedMs = performance.now();
    const violations: string[] = [];
    const notes: string[] = [];
    const stage = await createStage();
    try {
      await run(stage, {
        note: (text) => notes.push(text),
        check: (holds, violation) => {
          if (!holds) violations.push(violation);
        },
      });
      violations.push(...(await stage.findViolations()));
    } catch (error) {
      violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      await stage.remove();
      task.meta.row = {
        number,
        name,
        database: inject('testDatabase').kind,
        load,
        faults: notes.length === 0 ? 'none' : notes.join('; '),
        violations,
        seconds: (performance.now() - startedMs) / 1_000,
      };
    }
    expect(violations).toEqual([]);
  });
}
