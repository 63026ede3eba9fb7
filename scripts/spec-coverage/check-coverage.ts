import { readTestTitles, type TestTitles } from './test-titles.ts';

export const COVERAGE_PATH = 'docs/spec-coverage.md';

/** An error in the table; `line` starts at 1. */
type CoverageError = { line: number; message: string };

/** A path in backticks; for a test file followed by the title of a test. */
const REFERENCE = /^`([^`]+)`\s*(.*)$/;
const TEST = /\.(?:test|spec)\.tsx?$/;

/**
 * Checks the rows of docs/spec-coverage.md, each of which names the files that implement a requirement and the tests that prove
 * it. The files must exist. The text after a test file must be part of the title of one of its tests, or a string in the table
 * of a `test.each`, and none of its tests may be disabled. `read` returns the text of a file of the project, or null if it does
 * not exist.
 */
export function checkCoverage(table: string, read: (path: string) => string | null): CoverageError[] {
  const lines = table.split('\n');
  const errors: CoverageError[] = [];
  const titlesByPath = new Map<string, TestTitles>();
  const testsOf = (path: string, text: string) => {
    const tests = titlesByPath.get(path) ?? readTestTitles(path, text);
    titlesByPath.set(path, tests);
    return tests;
  };
  for (const [index, line] of lines.entries()) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length === 1 || /^:?-+:?$/.test(cells[1] ?? '') || cells[2] === 'Implemented in') continue;
    const report = (message: string) => errors.push({ line: index + 1, message });
    // A row with three columns has two more cells: the empty ones before and after its outer bars.
    if (cells.length !== 5) {
      report('the row does not have three columns');
      continue;
    }
    const files = (cells[2] ?? '').split('<br>').map((item) => item.trim());
    const tests = (cells[3] ?? '').split('<br>').map((item) => item.trim());
    for (const item of files) {
      if (read(REFERENCE.exec(item)?.[1] ?? '') === null) report(`“${item}” is not the path of a file`);
    }
    for (const item of tests) {
      const [, path = '', title = ''] = REFERENCE.exec(item) ?? [];
      const text = read(path);
      if (text === null || !TEST.test(path)) report(`“${item}” does not begin with the path of a test file`);
      else {
        const { titles, labels, hasDisabledTests } = testsOf(path, text);
        const exists = labels.has(title) || titles.some((knownTitle) => knownTitle.includes(title));
        if (title === '' || !exists) report(`there is no test “${title}” in ${path}`);
        if (hasDisabledTests) report(`some tests are disabled in ${path}`);
      }
    }
  }
  return errors;
}
