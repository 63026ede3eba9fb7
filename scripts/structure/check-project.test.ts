import { describe, expect, test } from 'vitest';
import { BROKEN, SOUND } from './broken-projects.ts';
import { checkProject } from './check-project.ts';

function check(changes: Record<string, string>): string[] {
  const files = new Map(Object.entries({ ...SOUND, ...changes }));
  return checkProject(files).map(({ path, line, message }) => `${path}:${line} ${message}`);
}

describe('a project that keeps the rules', () => {
  test('has nothing to report', () => {
    expect(check({})).toEqual([]);
  });
});

describe('one thing against the rules is found and told where to go:', () => {
  test.each(Object.entries(BROKEN))('%s', (_, { files, says, path }) => {
    const reports = check(files);
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports) {
      expect(report).toMatch(says);
      expect(report.startsWith(`${path}:`)).toBe(true);
    }
  });
});

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

test('an alias, a worker and a test beside its source are no violations', () => {
  const reports = check({
    'app/features/polls/queries.test.ts': "import { act } from './actions.ts';\nexport const x = act;",
    'scripts/start.ts': "await import('#api/server.ts');",
    'api/server.ts': 'export {};',
  });
  expect(reports).toEqual([]);
});
