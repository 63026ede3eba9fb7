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

test('an alias, a worker and a test beside its source are no violations', () => {
  const reports = check({
    'app/features/polls/queries.test.ts': "import { act } from './actions.ts';\nexport const x = act;",
    'scripts/start.ts': "await import('#api/server.ts');",
    'api/server.ts': 'export {};',
  });
  expect(reports).toEqual([]);
});
