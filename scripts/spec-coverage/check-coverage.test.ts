import { expect, test } from 'vitest';
import { checkCoverage } from './check-coverage.ts';

const SOURCES = ['api/polls/routes.ts', 'app/routes/home.tsx', 'app/ui/button.tsx'];

/** What is said about a project with these files besides some sources. */
function check({ 'docs/spec-coverage.md': table = '', ...tests }: Record<string, string>): string[] {
  const read = (path: string) => tests[path] ?? (SOURCES.includes(path) ? '' : null);
  return checkCoverage(table, read).map(({ message }) => message);
}

test('the table of coverage may name several files and tests a promise', () => {
  const reports = check({
    'app/routes/home.test.tsx': "test('opens', () => {}); test('closes', () => {});",
    'docs/spec-coverage.md': [
      '| Promise | Where | Shown by |',
      '|---|---|---|',
      '| Home | `app/routes/home.tsx`<br>`app/ui/button.tsx` | `app/routes/home.test.tsx` opens<br>`app/routes/home.test.tsx` closes |',
    ].join('\n'),
  });
  expect(reports).toEqual([]);
});

test.each([
  ['has no test', '', 'names no test file'],
  ['names a test by another title', '`api/polls/cast-vote.test.ts` counts twice', 'no test “counts twice”'],
  ['names a file that is gone', '`api/gone.test.ts` counts', 'names no test file'],
])('a promise of the table that %s is reported', (_, shownBy, says) => {
  const reports = check({
    'api/polls/cast-vote.test.ts': "test('counts once', () => {});",
    'docs/spec-coverage.md': `| Voting | \`api/polls/routes.ts\` | ${shownBy} |`,
  });
  expect(reports).toHaveLength(1);
  expect(reports[0]).toContain(says);
});

test.each([
  [
    'is only spoken of',
    "// counts once\ntest('another', () => say('counts once'));",
    'no test “counts once”',
  ],
  ['is a step', "test('another', () => test.step('counts once', () => {}));", 'no test “counts once”'],
  ['is skipped', "test.skip('counts once', () => {});", 'no test “counts once”'],
  [
    'stands beside an only one',
    "test('counts once', () => {}); test.only('x', () => {});",
    'tests are switched off',
  ],
])('a test of the table that %s is reported', (_, source, says) => {
  const reports = check({
    'api/polls/cast-vote.test.ts': source,
    'docs/spec-coverage.md': '| Voting | `api/polls/routes.ts` | `api/polls/cast-vote.test.ts` counts once |',
  });
  expect(reports.join()).toContain(says);
});

test('the table may name a test by a part of its title, or by its name in a table of tests', () => {
  const row = (title: string) =>
    `| Voting | \`api/polls/routes.ts\` | \`api/polls/cast-vote.test.ts\` ${title} |`;
  const reports = check({
    'api/polls/cast-vote.test.ts':
      "const cases = [['counts once', 1]]; test.each(cases)('%s', () => {}); test.each([['twice', 2]])(`the %s`, () => {});",
    'docs/spec-coverage.md': [row('counts once'), row('twice'), row('the %s')].join('\n'),
  });
  expect(reports).toEqual([]);
});
