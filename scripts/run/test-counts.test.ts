import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkCounts, failedTests, flakyTests, playwrightCounts, vitestCounts } from './test-counts.ts';

const folder = mkdtempSync(join(tmpdir(), 'counts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function report(content: unknown): string {
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test('counts passed and failed tests: a flaky test has passed, a skipped one has failed', () => {
  expect(vitestCounts(report({ numTotalTests: 9, numPassedTests: 7 }), 1)).toEqual({ passed: 7, failed: 2 });
  const stats = { expected: 4, unexpected: 1, flaky: 1, skipped: 1 };
  expect(playwrightCounts(report({ stats }), 1)).toEqual({ passed: 5, failed: 2 });
});

test('a run that exits with an error although all tests passed counts as one failure', () => {
  expect(vitestCounts(report({ numTotalTests: 7, numPassedTests: 7 }), 1)).toEqual({ passed: 7, failed: 1 });
  expect(playwrightCounts(report({ stats: { expected: 4 } }), 1)).toEqual({ passed: 4, failed: 1 });
});

test('a run without tests counts as one failure', () => {
  expect(vitestCounts(report({ numTotalTests: 0, numPassedTests: 0 }), 0)).toEqual({ passed: 0, failed: 1 });
  expect(playwrightCounts(report({ stats: { expected: 0 } }), 0)).toEqual({ passed: 0, failed: 1 });
});

test('a run without a report counts as one failure', () => {
  expect(vitestCounts(join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1 });
  expect(playwrightCounts(join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1 });
});

test('a Vitest file that cannot be loaded counts as a failure, and is listed with its error', () => {
  const file = { name: 'a.test.ts', status: 'failed', message: 'Cannot find module', assertionResults: [] };
  const path = report({ numTotalTests: 9, numPassedTests: 8, testResults: [file] });
  expect(vitestCounts(path, 1)).toEqual({ passed: 8, failed: 2 });
  expect(failedTests(path)).toEqual(['a.test.ts: Cannot find module']);
});

test('a check counts as one test', () => {
  expect(checkCounts(0)).toEqual({ passed: 1, failed: 0 });
  expect(checkCounts(2)).toEqual({ passed: 0, failed: 1 });
});

test('lists failed tests with their messages, and flaky tests', () => {
  const passed = { status: 'passed', fullName: 'good' };
  const failed = { status: 'failed', fullName: 'bad', failureMessages: ['expected 1 to be 2'] };
  const vitest = report({ testResults: [{ name: 'a.test.ts', assertionResults: [passed, failed] }] });
  expect(failedTests(vitest)).toEqual(['a.test.ts: bad\nexpected 1 to be 2']);

  const spec = (title: string, status: string) => ({ file: 'b.spec.ts', title, tests: [{ status }] });
  const specs = [spec('good', 'expected'), spec('bad', 'unexpected'), spec('shaky', 'flaky')];
  const playwright = report({ suites: [{ suites: [{ specs }] }] });
  expect(failedTests(playwright)).toEqual(['b.spec.ts: bad']);
  expect(flakyTests(playwright)).toEqual(['b.spec.ts: shaky']);
});

test('lists no tests for a run without a report', () => {
  expect(failedTests(join(folder, 'none.json'))).toEqual([]);
  expect(flakyTests(join(folder, 'none.json'))).toEqual([]);
});
