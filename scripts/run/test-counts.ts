import { readFileSync } from 'node:fs';

export type Counts = { passed: number; failed: number };

type Report = Record<string, unknown>;
type VitestFile = {
  name: string;
  status: string;
  /** Why the file could not be loaded; it then has no results. */
  message: string;
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

/** Counts a run as one failure if it exited with an error although no test failed, or if it ran no test. */
function withExitCode(counts: Counts, exitCode: number): Counts {
  const hasFailed = exitCode !== 0 || counts.passed === 0;
  return hasFailed && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function vitestFilesOf(report: Report | null): VitestFile[] {
  return (report?.testResults ?? []) as VitestFile[];
}

function isNotLoaded({ status, assertionResults }: VitestFile): boolean {
  return status === 'failed' && assertionResults.length === 0;
}

/**
 * The counts of Vitest's JSON report. A skipped test counts as failed, since it checks nothing, and so does a file that could
 * not be loaded.
 */
export function vitestCounts(path: string, exitCode: number): Counts {
  const report = readReport(path);
  if (!report) return { passed: 0, failed: 1 };
  const passed = numberOf(report, 'numPassedTests');
  const notLoaded = vitestFilesOf(report).filter(isNotLoaded).length;
  const failed = numberOf(report, 'numTotalTests') - passed + notLoaded;
  return withExitCode({ passed, failed }, exitCode);
}

/** The counts of Playwright's JSON report. A skipped test counts as failed, a flaky test as passed (see `flakyTests`). */
export function playwrightCounts(path: string, exitCode: number): Counts {
  const stats = readReport(path)?.stats as Report | undefined;
  if (!stats) return { passed: 0, failed: 1 };
  const failed = numberOf(stats, 'unexpected') + numberOf(stats, 'skipped');
  return withExitCode({ passed: numberOf(stats, 'expected') + numberOf(stats, 'flaky'), failed }, exitCode);
}

/** Counts a check, such as the type check, as one test. */
export function checkCounts(exitCode: number): Counts {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** File and title of the failed tests in a Vitest or Playwright report; for Vitest also their messages. */
export function failedTests(path: string): string[] {
  const report = readReport(path);
  const ofVitest = vitestFilesOf(report).flatMap((file) =>
    isNotLoaded(file)
      ? `${file.name}: ${file.message}`
      : file.assertionResults
          .filter(({ status }) => status !== 'passed')
          .map(
            ({ fullName, failureMessages = [] }) =>
              `${file.name}: ${fullName}\n${failureMessages.join('\n')}`,
          ),
  );
  const ofPlaywright = specsWith((report ?? {}) as PlaywrightSuite, ['unexpected', 'skipped']);
  return [...ofVitest, ...ofPlaywright];
}

/** File and title of the tests in a Playwright report that failed at first and passed when retried. */
export function flakyTests(path: string): string[] {
  return specsWith((readReport(path) ?? {}) as PlaywrightSuite, ['flaky']);
}

function specsWith({ suites = [], specs = [] }: PlaywrightSuite, statuses: readonly string[]): string[] {
  const matching = specs.filter(({ tests }) => tests.some(({ status }) => statuses.includes(status)));
  return [
    ...matching.map(({ file, title }) => `${file}: ${title}`),
    ...suites.flatMap((suite) => specsWith(suite, statuses)),
  ];
}
