import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { crowdedFolders, hardCodedApiPath, misplacement } from './file-rules.ts';
import { findForbiddenImports, IMPORT_RULES } from './import-rules.ts';

const PACKAGES = ['zod', 'react', 'hono', 'dexie', 'drizzle-orm', '@opentelemetry/core'];

/** Files without violations, some of which the files below import. */
const VALID_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    imports: Object.fromEntries(['shared', 'sync', 'api', 'app'].map((top) => [`#${top}/*`, `./${top}/*`])),
    dependencies: Object.fromEntries(PACKAGES.map((name) => [name, '1.0.0'])),
  }),
  ...Object.fromEntries(
    PACKAGES.flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
  'shared/polls/rules.ts': "import 'zod';",
  'sync/protocol/op.ts': "import '#shared/polls/rules.ts';",
  'sync/client/outbox/outbox.ts': "import '#sync/protocol/op.ts'; import 'dexie';",
  'sync/testing/fake-clock.ts': '',
  'api/db/client.ts': "import 'drizzle-orm';",
  'api/http/session/session.ts': "import '#api/db/client.ts';",
  'api/images/image-store.ts': "import '#api/db/client.ts';",
  'api/deps.ts': "import '#api/images/image-store.ts';",
  'api/points/ledger.ts': "import '#api/db/client.ts';",
  'api/polls/cast-vote.ts': "import '#api/points/ledger.ts'; import '#api/deps.ts';",
  'api/polls/routes.ts': "import './cast-vote.ts'; import 'hono';",
  'api/polls/cast-vote.test.ts': "import './routes.ts'; import '#api/app.ts';",
  'api/app.ts': "import '#api/polls/routes.ts';",
  'app/lib/engine/engine.ts': "import '#sync/client/outbox/outbox.ts';",
  'app/ui/chip.tsx': "import 'react';",
  'app/features/polls/actions.ts': "import '#app/lib/engine/engine.ts';",
  'app/features/polls/components/poll-card.tsx':
    "import '#app/ui/chip.tsx'; import '#app/features/polls/actions.ts';",
  'app/features/points/actions.ts': '',
  'app/routes/home.tsx': "import '#app/features/polls/components/poll-card.tsx';",
};

const dynamic = (to: string) => `export const x = () => import('${to}');`;
const typeOnly = (to: string) => `import type { X } from '${to}';`;
const SERVICES = 'imports of api/(images|jobs|mail|push|live|passwords)/';

/** One file for each violation: the rule, the file, what it imports, and the form of the import. */
const VIOLATIONS: readonly [rule: string, file: string, imported: string, how?: (to: string) => string][] = [
  ['imports of shared/', 'shared/http.ts', 'sync/protocol/op.ts'],
  ['imports of sync/protocol/', 'sync/protocol/x.ts', 'sync/client/outbox/outbox.ts'],
  ['imports of sync/operations/', 'sync/operations/x.ts', 'sync/client/outbox/outbox.ts'],
  ['imports of sync/client/', 'sync/client/x.ts', 'app/ui/chip.tsx', dynamic],
  ['imports of sync/worker/', 'sync/worker/x.ts', 'app/lib/engine/engine.ts'],
  ['imports of api/', 'api/env.ts', 'sync/client/outbox/outbox.ts', typeOnly],
  ['imports of api/tracing/', 'api/tracing/x.ts', 'api/db/client.ts'],
  ['imports of api/db/', 'api/db/x.ts', 'api/http/session/session.ts'],
  ['imports of api/http/', 'api/http/x.ts', 'api/deps.ts', typeOnly],
  ['imports of api/storage/', 'api/storage/x.ts', 'api/db/client.ts'],
  [SERVICES, 'api/mail/x.ts', 'api/polls/cast-vote.ts'],
  ['imports of api/points/', 'api/points/x.ts', 'api/accounts/log-in.ts'],
  ['imports of api/reports/', 'api/reports/x.ts', 'api/points/ledger.ts'],
  ['imports of api/polls/', 'api/polls/x.ts', 'api/accounts/log-in.ts'],
  ['imports of api/explore/', 'api/explore/x.ts', 'api/points/ledger.ts'],
  ['imports of api/activity/', 'api/activity/x.ts', 'api/points/ledger.ts'],
  ['imports of api/notifications/', 'api/notifications/x.ts', 'api/points/ledger.ts'],
  ['imports of api/accounts/', 'api/accounts/log-in.ts', 'api/explore/x.ts'],
  ['imports of api/admin/', 'api/admin/x.ts', 'api/app.ts'],
  ['imports of api/docs/', 'api/docs/x.ts', 'api/points/ledger.ts'],
  ['imports of api/metrics/', 'api/metrics/x.ts', 'api/points/ledger.ts'],
  ['imports of api/housekeeping/', 'api/housekeeping/x.ts', 'api/explore/x.ts'],
  ['imports of api/backup/', 'api/backup/x.ts', 'api/polls/cast-vote.ts'],
  ['imports of app/', 'app/lib/x.ts', 'api/db/client.ts'],
  ['imports of app/lib/', 'app/lib/z.ts', 'app/ui/chip.tsx'],
  ['imports of app/ui/', 'app/ui/x.tsx', 'app/features/polls/actions.ts'],
  ['imports of app/features/', 'app/features/points/x.ts', 'app/routes/home.tsx'],
  ['imports of scripts/', 'scripts/x.ts', 'app/lib/engine/engine.ts'],
  ['imports of e2e/(?!faults|hard|cluster)', 'e2e/x.spec.ts', 'app/lib/engine/engine.ts'],
  ['imports of e2e/faults/', 'e2e/faults/x.ts', 'app/lib/engine/engine.ts'],
  ['imports of e2e/hard/', 'e2e/hard/x.ts', 'app/lib/engine/engine.ts'],
  ['imports of e2e/cluster/', 'e2e/cluster/x.ts', 'app/lib/engine/engine.ts'],
  ['imports of bench/', 'bench/x.ts', 'app/lib/engine/engine.ts'],
  ['packages of shared/', 'shared/errors.ts', 'dexie'],
  ['packages of sync/', 'sync/client/y.ts', 'react'],
  ['packages of app/', 'app/lib/y.ts', 'hono'],
  ['packages of api/', 'api/errors.ts', 'dexie'],
  ['no-cycles', 'sync/client/v.ts', 'sync/client/w.ts'],
  ['no-cycles', 'sync/client/w.ts', 'sync/client/v.ts'],
  ['no-test-code-in-the-product', 'sync/client/z.ts', 'sync/testing/fake-clock.ts'],
  ['routes-without-sql', 'api/accounts/routes.ts', 'api/db/client.ts'],
  ['tracing-sdk', 'api/tracing/y.ts', '@opentelemetry/core'],
  ['features-apart', 'app/features/points/queries.ts', 'app/features/polls/actions.ts'],
];

describe('the check of imports', () => {
  let violations: string[];

  beforeAll(async () => {
    const invalid = VIOLATIONS.map(([, file, imported, how = (to) => `import '${to}';`]) => {
      return [file, how(PACKAGES.includes(imported) ? imported : `#${imported}`)] as const;
    });
    const files = { ...VALID_FILES, ...Object.fromEntries(invalid) };
    const root = await mkdtemp(join(tmpdir(), 'this-or-that-structure-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    violations = await findForbiddenImports(root);
    return () => rm(root, { recursive: true });
  });

  test.each(VIOLATIONS)('reports a violation of "%s" in %s', (rule, file, imported) => {
    const own = violations.filter((text) => text.includes(`(${rule}: `) && text.includes(file));
    expect(own.some((text) => text.includes(imported))).toBe(true);
  });

  test('is tested with a violation of every rule', () => {
    expect(new Set(VIOLATIONS.map(([rule]) => rule))).toEqual(new Set(IMPORT_RULES.map(({ name }) => name)));
  });

  test('does not report valid files', () => {
    const invalid = new Set(VIOLATIONS.map(([, file]) => file));
    expect(violations.filter((text) => !invalid.has(text.split(' ')[0] ?? ''))).toEqual([]);
  });
});

describe('a file at', () => {
  test.each([
    'README.md',
    'shared/polls/rules.test.ts',
    'sync/client/drain/drain.ts',
    'api/polls/in-flight.postgres.test.ts',
    'api/http/session/session.ts',
    'app/features/polls/components/card/poll-card.tsx',
    'app/features/admin/hooks/use-list.ts',
    '.ci/run',
  ])('%s is allowed', (path) => expect(misplacement(path)).toBeNull());

  test.each([
    ['utils/x.ts', /top-level folder/],
    ['notes.md', /root/],
    ['app/features/misc/actions.ts', /features\/<noun>/],
    ['app/features/polls/helpers.ts', /queries\.ts, actions\.ts/],
    ['api/services/x.ts', /a folder for each noun/],
    ['sync/client/outBox.ts', /sync\/ has/],
    ['shared/polls/helpers.ts', /schema\.ts/],
    ['e2e/helpers/x.ts', /one spec for each user journey/],
    ['bench/load/x.js', /one script for each benchmark/],
    ['scripts/run/more/x.ts', /one level below/],
    ['deploy/x.ts', /systemd units/],
    ['docs/notes.md', /decisions/],
  ])('%s is reported with a hint', (path, hint) => expect(misplacement(path)).toMatch(hint));
});

test('a folder with too many files, not counting tests, is reported', () => {
  const files = (count: number, end: string) =>
    Array.from({ length: count }, (_, index) => `api/polls/x${index}${end}`);
  expect(crowdedFolders([...files(16, '.ts'), ...files(9, '.test.ts'), 'api/polls/voting/y.ts'])).toEqual([]);
  expect(crowdedFolders(files(17, '.ts'))).toEqual([
    'api/polls has 17 files: split it into folders by subject',
  ]);
});

test('a hard-coded API path outside the contract is reported', () => {
  const text = "const path = '/api/user';";
  expect(hardCodedApiPath('app/features/accounts/actions.ts', text)).toContain('contract.ts');
  expect(hardCodedApiPath('sync/client/cache/pull.ts', 'get(`/api/trending`)')).toContain('contract.ts');
  expect(hardCodedApiPath('sync/worker/images.ts', "path.startsWith('/uploads/')")).toContain(
    'IMAGE_PATH_PREFIX',
  );
  expect(hardCodedApiPath('shared/accounts/contract.ts', text)).toBeNull();
  expect(hardCodedApiPath('api/accounts/log-in.test.ts', text)).toBeNull();
  expect(hardCodedApiPath('api/app.ts', "app.route('/api', api); /** `GET /api/user` */")).toBeNull();
});
