import { readFileSync } from 'node:fs';

export type Counts = { passed: number; failed: number };

type Report = Record<string, unknown>;
type VitestFile = {
  name: string;
  assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
};
type PlaywrightSuite = {
  suites?: PlaywrightSuite[];
  specs?: { file: string; title: string; tests: { status: string }[] }[];
};

function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return null;
  }
}

function numberOf(report: Report, key: string): number {
  const value = report[key];
  return typeof value === 'number' ? value : 0;
}

/** A run that ended badly though no test of it failed, or that ran no test at all, counts as one failure. */
function withExit(counts: Counts, exitCode: number): Counts {
  const isBad = exitCode !== 0 || counts.passed === 0;
  return isBad && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** What Vitest's JSON report says; a skipped test counts as failed, since it shows nothing. */
export function vitestCounts(path: string, exitCode: number): Counts {
  const report = readReport(path);
  if (!report) return { passed: 0, failed: 1 };
  const passed = numberOf(report, 'numPassedTests');
  const failed = numberOf(report, 'numTotalTests') - passed;
  return withExit({ passed, failed }, exitCode);
}

/** What Playwright's JSON report says; a skipped test counts as failed, a flaky one as passed: see `flakyTests`. */
export function playwrightCounts(path: string, exitCode: number): Counts {
  const stats = readReport(path)?.stats as Report | undefined;
  if (!stats) return { passed: 0, failed: 1 };
  const failed = numberOf(stats, 'unexpected') + numberOf(stats, 'skipped');
  return withExit({ passed: numberOf(stats, 'expected') + numberOf(stats, 'flaky'), failed }, exitCode);
}

/** A check without tests of its own is one test. */
export function checkCounts(exitCode: number): Counts {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** The tests of a Vitest or Playwright report that failed, by file and title. */
export function failedTests(path: string): string[] {
  const report = readReport(path);
  const files = (report?.testResults ?? []) as VitestFile[];
  const ofVitest = files.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(({ fullName, failureMessages = [] }) => `${name}: ${fullName}\n${failureMessages.join('\n')}`),
  );
  const ofPlaywright = specsWith((report ?? {}) as PlaywrightSuite, ['unexpected', 'skipped']);
  return [...ofVitest, ...ofPlaywright];
}

/** The tests of a Playwright report that failed at first and passed at the second attempt, by file and title. */
export function flakyTests(path: string): string[] {
  return specsWith((readReport(path) ?? {}) as PlaywrightSuite, ['flaky']);
}

function specsWith({ suites = [], specs = [] }: PlaywrightSuite, statuses: readonly string[]): string[] {
  const found = specs.filter(({ tests }) => tests.some(({ status }) => statuses.includes(status)));
  return [
    ...found.map(({ file, title }) => `${file}: ${title}`),
    ...suites.flatMap((suite) => specsWith(suite, statuses)),
  ];
}
