import type { Violation } from './model.ts';
import { readTestTitles, type TestTitles } from './test-titles.ts';

export const COVERAGE_PATH = 'docs/spec-coverage.md';

/** `path` followed by the title of a test in it, or by nothing for a source file. */
const REFERENCE = /^`([^`]+)`\s*(.*)$/;
const TEST = /\.(?:test|spec)\.tsx?$/;

/**
 * Each row of the table of the product's promises names the files that keep it and the tests that show it, as
 * `path` or `path` title: the files are there, and tests that run have these titles, or names in a table of `each`.
 */
export function checkCoverage(files: ReadonlyMap<string, string>): Violation[] {
  const lines = (files.get(COVERAGE_PATH) ?? '').split('\n');
  const violations: Violation[] = [];
  const read = new Map<string, TestTitles>();
  const testsOf = (path: string, text: string) => {
    const known = read.get(path) ?? readTestTitles(path, text);
    read.set(path, known);
    return known;
  };
  for (const [index, line] of lines.entries()) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length !== 5 || /^:?-+:?$/.test(cells[1] ?? '') || cells[2] === 'Where') continue;
    const report = (message: string) => violations.push({ path: COVERAGE_PATH, line: index + 1, message });
    const where = (cells[2] ?? '').split('<br>').map((item) => item.trim());
    const tests = (cells[3] ?? '').split('<br>').map((item) => item.trim());
    for (const item of where) {
      if (!files.has(REFERENCE.exec(item)?.[1] ?? ''))
        report(`names no file with ${item || 'an empty cell'}`);
    }
    for (const item of tests) {
      const [, path = '', title = ''] = REFERENCE.exec(item) ?? [];
      const text = files.get(path);
      if (text === undefined || !TEST.test(path))
        report(`names no test file with ${item || 'an empty cell'}`);
      else {
        const { titles, labels, isPartlyOff } = testsOf(path, text);
        const isThere = labels.has(title) || titles.some((each) => each.includes(title));
        if (title === '' || !isThere) report(`there is no test “${title}” in ${path}`);
        if (isPartlyOff) report(`tests are switched off in ${path}`);
      }
    }
  }
  return violations;
}
