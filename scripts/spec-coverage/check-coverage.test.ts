import { expect, test } from 'vitest';
import { checkCoverage } from './check-coverage.ts';

const SOURCES = ['api/polls/routes.ts', 'app/routes/home.tsx', 'app/ui/button.tsx'];

/** The messages for a project with these files and the sources above. */
function check({ 'docs/spec-coverage.md': table = '', ...tests }: Record<string, string>): string[] {
  const read = (path: string) => tests[path] ?? (SOURCES.includes(path) ? '' : null);
  return checkCoverage(table, read).map(({ message }) => message);
}

test('accepts a row with several files and tests', () => {
  const messages = check({
    'app/routes/home.test.tsx': "test('opens', () => {}); test('closes', () => {});",
    'docs/spec-coverage.md': [
      '| Requirement | Implemented in | Tested by |',
      '|---|---|---|',
      '| Home | `app/routes/home.tsx`<br>`app/ui/button.tsx` | `app/routes/home.test.tsx` opens<br>`app/routes/home.test.tsx` closes |',
    ].join('\n'),
  });
  expect(messages).toEqual([]);
});

test.each([
  ['has no test', '', '“” does not begin with the path of a test file'],
  ['names a title that no test has', '`api/polls/cast-vote.test.ts` counts twice', 'no test “counts twice”'],
  [
    'names a file that does not exist',
    '`api/gone.test.ts` counts',
    '“`api/gone.test.ts` counts” does not begin with the path of a test file',
  ],
])('reports a row that %s', (_, testedBy, expected) => {
  const messages = check({
    'api/polls/cast-vote.test.ts': "test('counts once', () => {});",
    'docs/spec-coverage.md': `| Voting | \`api/polls/routes.ts\` | ${testedBy} |`,
  });
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain(expected);
});

test.each([
  [
    'appears only in a comment or string',
    "// counts once\ntest('another', () => say('counts once'));",
    'no test “counts once”',
  ],
  ['is a step', "test('another', () => test.step('counts once', () => {}));", 'no test “counts once”'],
  ['is skipped', "test.skip('counts once', () => {});", 'no test “counts once”'],
  [
    'is in a file with test.only',
    "test('counts once', () => {}); test.only('x', () => {});",
    'some tests are disabled',
  ],
])('reports a row whose test %s', (_, source, expected) => {
  const messages = check({
    'api/polls/cast-vote.test.ts': source,
    'docs/spec-coverage.md': '| Voting | `api/polls/routes.ts` | `api/polls/cast-vote.test.ts` counts once |',
  });
  expect(messages.join()).toContain(expected);
});

test.each(['| Voting | `api/polls/routes.ts` |', '| a | b | c | d |', 'a | b | c'])(
  'reports the row “%s”, which does not have three columns between bars',
  (row) => {
    expect(check({ 'docs/spec-coverage.md': `Text\n\n${row}` })).toEqual([
      'the row does not have three columns',
    ]);
  },
);

test('accepts a part of a title, or a text in the table of test.each', () => {
  const row = (title: string) =>
    `| Voting | \`api/polls/routes.ts\` | \`api/polls/cast-vote.test.ts\` ${title} |`;
  const messages = check({
    'api/polls/cast-vote.test.ts':
      "const cases = [['counts once', 1]]; test.each(cases)('%s', () => {}); test.each([['twice', 2]])(`the %s`, () => {});",
    'docs/spec-coverage.md': [row('counts once'), row('twice'), row('the %s')].join('\n'),
  });
  expect(messages).toEqual([]);
});
