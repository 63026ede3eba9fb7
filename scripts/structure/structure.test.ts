import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writtenApiPath } from './api-paths.ts';
import { misplacement } from './file-places.ts';
import { crowdedFolders } from './folder-sizes.ts';
import { findForbiddenImports } from './forbidden-imports.ts';

const PACKAGES = ['zod', 'react', 'hono', 'dexie', 'drizzle-orm'];

/** Files that keep every rule, and that the others import. */
const SOUND: Readonly<Record<string, string>> = {
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

/** Files that break one rule each: by its name, the file, what it imports, and how. */
const BROKEN: readonly [rule: string, file: string, imported: string, how?: (to: string) => string][] = [
  ['shared', 'shared/http.ts', 'sync/protocol/op.ts'],
  ['shared-packages', 'shared/errors.ts', 'dexie'],
  ['protocol', 'sync/protocol/x.ts', 'sync/client/outbox/outbox.ts'],
  ['engine', 'sync/client/x.ts', 'app/ui/chip.tsx', (to) => `export const x = () => import('${to}');`],
  ['sync-packages', 'sync/client/y.ts', 'react'],
  ['worker', 'sync/worker/x.ts', 'app/lib/engine/engine.ts'],
  ['no-test-code-in-the-product', 'sync/client/z.ts', 'sync/testing/fake-clock.ts'],
  ['server', 'api/env.ts', 'sync/client/outbox/outbox.ts', (to) => `import type { X } from '${to}';`],
  ['api-packages', 'api/errors.ts', 'dexie'],
  ['api-db', 'api/db/x.ts', 'api/http/session/session.ts'],
  ['api-http', 'api/http/x.ts', 'api/deps.ts', (to) => `import type { X } from '${to}';`],
  ['api-services', 'api/mail/x.ts', 'api/polls/cast-vote.ts'],
  ['api-nouns', 'api/admin/x.ts', 'api/app.ts'],
  ['api-polls', 'api/polls/x.ts', 'api/accounts/log-in.ts'],
  ['api-accounts', 'api/accounts/log-in.ts', 'api/polls/cast-vote.ts'],
  ['api-points', 'api/points/x.ts', 'api/accounts/y.ts'],
  ['api-routes', 'api/accounts/routes.ts', 'api/db/client.ts'],
  ['app', 'app/lib/x.ts', 'api/db/client.ts'],
  ['app-packages', 'app/lib/y.ts', 'hono'],
  ['app-lib', 'app/lib/z.ts', 'app/ui/chip.tsx'],
  ['app-ui', 'app/ui/x.tsx', 'app/features/polls/actions.ts'],
  ['app-features', 'app/features/points/x.ts', 'app/routes/home.tsx'],
  ['app-features-apart', 'app/features/points/queries.ts', 'app/features/polls/actions.ts'],
  ['e2e', 'e2e/x.spec.ts', 'app/lib/engine/engine.ts'],
  ['fault-tests', 'e2e/faults/x.ts', 'app/lib/engine/engine.ts'],
  ['scripts', 'scripts/x.ts', 'app/lib/engine/engine.ts'],
  ['bench', 'bench/x.ts', 'app/lib/engine/engine.ts'],
  ['no-missing-files', 'app/lib/w.ts', 'app/lib/engine', (to) => `import '${to}';`],
  ['no-cycles', 'sync/client/cycle.ts', 'sync/client/cycle-too.ts'],
];

const specifier = (imported: string) => (imported.includes('/') ? `#${imported}` : imported);
const importing = (to: string) => `import '${to}';`;

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

describe('imports', () => {
  let found: string[];

  beforeAll(async () => {
    const root = await mkdtemp(join(tmpdir(), 'this-or-that-structure-'));
    try {
      await write(root, SOUND);
      await write(root, {
        ...Object.fromEntries(
          BROKEN.map(([, file, imported, how = importing]) => [file, how(specifier(imported))]),
        ),
        'sync/client/cycle-too.ts': importing('#sync/client/cycle.ts'),
        'api/accounts/y.ts': '',
      });
      found = await findForbiddenImports(root);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  test.each(BROKEN)('against the rule "%s" are found in %s', (rule, file, imported) => {
    const own = found.filter((text) => text.includes(`(${rule}`) && text.includes(file));
    expect(own.some((text) => text.includes(imported))).toBe(true);
  });

  test('that keep every rule are not reported', () => {
    const broken = new Set([...BROKEN.map(([, file]) => file), 'sync/client/cycle-too.ts']);
    expect(found.filter((text) => !broken.has(text.split(' ')[0] ?? ''))).toEqual([]);
  });
});

describe('the place of a file', () => {
  test.each([
    'README.md',
    'shared/polls/rules.test.ts',
    'sync/client/drain/drain.ts',
    'api/polls/in-flight.postgres.test.ts',
    'api/http/session/session.ts',
    'app/features/polls/components/card/poll-card.tsx',
    'app/features/admin/hooks/use-list.ts',
    '.ci/run',
  ])('%s is fine', (path) => expect(misplacement(path)).toBeNull());

  test.each([
    ['utils/x.ts', /no top folder/],
    ['notes.md', /root/],
    ['app/features/misc/actions.ts', /has no place here/],
    ['app/features/polls/helpers.ts', /queries\.ts, actions\.ts/],
    ['api/services/x.ts', /a folder a noun/],
    ['sync/client/outBox.ts', /kebab-case/],
    ['shared/polls/helpers.ts', /schema\.ts/],
  ])('%s is told where it belongs', (path, hint) => expect(misplacement(path)).toMatch(hint));
});

test('a folder with too many files is reported, tests not counted', () => {
  const files = (count: number, end: string) =>
    Array.from({ length: count }, (_, nth) => `api/polls/x${nth}${end}`);
  expect(crowdedFolders([...files(16, '.ts'), ...files(9, '.test.ts'), 'api/polls/voting/y.ts'])).toEqual([]);
  expect(crowdedFolders(files(17, '.ts'))).toEqual([
    'api/polls has 17 files: cut it by subject into folders',
  ]);
});

test('a path of the API is written in the contract alone', () => {
  const text = "const path = '/api/user';";
  expect(writtenApiPath('app/features/accounts/actions.ts', text)).toContain('contract.ts');
  expect(writtenApiPath('sync/client/cache/pull.ts', 'get(`/api/trending`)')).toContain('contract.ts');
  expect(writtenApiPath('shared/accounts/contract.ts', text)).toBeNull();
  expect(writtenApiPath('api/accounts/log-in.test.ts', text)).toBeNull();
  expect(writtenApiPath('api/app.ts', "app.route('/api', api); /** `GET /api/user` */")).toBeNull();
});
