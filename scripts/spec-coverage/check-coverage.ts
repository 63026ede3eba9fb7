import { readTestTitles, type TestTitles } from './test-titles.ts';

export const COVERAGE_PATH = 'docs/spec-coverage.md';

/** Something wrong in the table, by its line (from 1). */
export type CoverageError = { line: number; message: string };

/** `path` followed by the title of a test in it, or by nothing for a source file. */
const REFERENCE = /^`([^`]+)`\s*(.*)$/;
const TEST = /\.(?:test|spec)\.tsx?$/;

/**
 * Each row of `table` names the files that keep one of the product's promises and the tests that show it, as `path` or
 * `path` title: the files are there, and tests that run have these titles, or names in a table of `each`. `read` gives the
 * text of a file of the project, or null when there is none of that path.
 */
export function checkCoverage(table: string, read: (path: string) => string | null): CoverageError[] {
  const lines = table.split('\n');
  const errors: CoverageError[] = [];
  const titlesByPath = new Map<string, TestTitles>();
  const testsOf = (path: string, text: string) => {
    const known = titlesByPath.get(path) ?? readTestTitles(path, text);
    titlesByPath.set(path, known);
    return known;
  };
  for (const [index, line] of lines.entries()) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length !== 5 || /^:?-+:?$/.test(cells[1] ?? '') || cells[2] === 'Where') continue;
    const report = (message: string) => errors.push({ line: index + 1, message });
    const where = (cells[2] ?? '').split('<br>').map((item) => item.trim());
    const tests = (cells[3] ?? '').split('<br>').map((item) => item.trim());
    for (const item of where) {
      if (read(REFERENCE.exec(item)?.[1] ?? '') === null)
        report(`names no file with ${item || 'an empty cell'}`);
    }
    for (const item of tests) {
      const [, path = '', title = ''] = REFERENCE.exec(item) ?? [];
      const text = read(path);
      if (text === null || !TEST.test(path)) report(`names no test file with ${item || 'an empty cell'}`);
      else {
        const { titles, labels, isPartlyOff } = testsOf(path, text);
        const isThere = labels.has(title) || titles.some((each) => each.includes(title));
        if (title === '' || !isThere) report(`there is no test “${title}” in ${path}`);
        if (isPartlyOff) report(`tests are switched off in ${path}`);
      }
    }
  }
  return errors;
}
