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

test('tests that passed and failed are counted', () => {
  expect(vitestCounts(report({ numTotalTests: 9, numPassedTests: 7 }), 1)).toEqual({ passed: 7, failed: 2 });
  const stats = { expected: 4, unexpected: 1, flaky: 1, skipped: 1 };
  expect(playwrightCounts(report({ stats }), 1)).toEqual({ passed: 5, failed: 2 });
});

test('a run that fails between its tests is no success', () => {
  expect(vitestCounts(report({ numTotalTests: 7, numPassedTests: 7 }), 1)).toEqual({ passed: 7, failed: 1 });
  expect(playwrightCounts(report({ stats: { expected: 4 } }), 1)).toEqual({ passed: 4, failed: 1 });
});

test('a run without a single test is one failure', () => {
  expect(vitestCounts(report({ numTotalTests: 0, numPassedTests: 0 }), 0)).toEqual({ passed: 0, failed: 1 });
  expect(playwrightCounts(report({ stats: { expected: 0 } }), 0)).toEqual({ passed: 0, failed: 1 });
});

test('a run that leaves no report is one failure', () => {
  expect(vitestCounts(join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1 });
  expect(playwrightCounts(join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1 });
});

test('a check is one test', () => {
  expect(checkCounts(0)).toEqual({ passed: 1, failed: 0 });
  expect(checkCounts(2)).toEqual({ passed: 0, failed: 1 });
});

test('the tests that failed are named, with what they said', () => {
  const good = { status: 'passed', fullName: 'good' };
  const bad = { status: 'failed', fullName: 'bad', failureMessages: ['expected 1 to be 2'] };
  const vitest = report({ testResults: [{ name: 'a.test.ts', assertionResults: [good, bad] }] });
  expect(failedTests(vitest)).toEqual(['a.test.ts: bad\nexpected 1 to be 2']);

  const spec = (title: string, status: string) => ({ file: 'b.spec.ts', title, tests: [{ status }] });
  const specs = [spec('good', 'expected'), spec('bad', 'unexpected'), spec('shaky', 'flaky')];
  const playwright = report({ suites: [{ suites: [{ specs }] }] });
  expect(failedTests(playwright)).toEqual(['b.spec.ts: bad']);
  expect(flakyTests(playwright)).toEqual(['b.spec.ts: shaky']);
});

test('a run that leaves no report names no test', () => {
  expect(failedTests(join(folder, 'none.json'))).toEqual([]);
  expect(flakyTests(join(folder, 'none.json'))).toEqual([]);
});
