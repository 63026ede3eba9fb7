import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';

// Who may import whom, as docs/ARCHITECTURE.md draws it; type imports count too. Paths in tables are regular expressions.

/** Only these are read: the rest of the project imports nothing. */
const FOLDERS = ['shared', 'sync', 'api', 'app', 'scripts', 'e2e', 'bench'];
const TEST_CODE = '[.](?:test|spec)[.]tsx?$|/testing/';

/** The nouns of `api/`, each with the others that it may use. */
export const NOUN_USES: Readonly<Record<string, readonly string[]>> = {
  points: [],
  reports: [],
  polls: ['points', 'reports'],
  explore: ['polls', 'reports'],
  activity: ['polls', 'reports'],
  notifications: ['polls'],
  accounts: ['points', 'notifications'],
  admin: ['accounts', 'activity', 'explore', 'notifications', 'points', 'polls', 'reports'],
};

const SERVICES = 'images|jobs|mail|push|live|passwords';
const BELOW_SERVICES = 'shared/|api/(http|db|tracing)/|api/(errors|env).ts';
const BELOW_NOUNS = `shared/|sync/protocol/|api/(http|db|storage|${SERVICES})/|api/(deps|errors|env).ts`;

type Row = readonly [from: string, to: string, reason: string];

const nounRow = ([noun, uses]: [string, readonly string[]]): Row => [
  `api/${noun}/`,
  `${BELOW_NOUNS}|api/(${[noun, ...uses].join('|')})/`,
  `Of the other nouns it may use ${uses.join(', ') || 'none'}; app.ts puts them together.`,
];

/** Of the project's own files those below `from` import these, and no others. Tests may use all of their own side. */
const MAY_IMPORT: readonly Row[] = [
  ['shared/', 'shared/', 'What client and server agree on, with zod alone.'],
  ['sync/protocol/', 'shared/|sync/protocol/', 'The server knows it too.'],
  ['sync/operations/', 'shared/|sync/(protocol|operations)/', 'Plain rules.'],
  ['sync/client/', 'shared/|sync/(protocol|operations|client)/', 'It knows neither screen nor server.'],
  ['sync/worker/', 'shared/|sync/(protocol|operations|client|worker)/', 'Built of sync/ alone.'],
  ['api/', 'shared/|sync/(protocol|operations)/|api/', 'Common rules go into shared/.'],
  ['api/tracing/', 'api/tracing/', 'Every part of the server may use it.'],
  ['api/db/', 'shared/|api/(db|tracing)/|api/(errors|env).ts', 'The lowest layer of the server.'],
  ['api/http/', `${BELOW_SERVICES}|sync/protocol/`, 'What every request passes; it knows no noun.'],
  ['api/storage/', 'api/storage/|api/(errors|env).ts', 'Where files are kept, whatever they are.'],
  [`api/(${SERVICES})/`, `${BELOW_SERVICES}|api/(storage|${SERVICES})/`, 'Nouns use it, it uses no noun.'],
  ...Object.entries({ ...NOUN_USES, docs: [], metrics: [] }).map(nounRow),
  [
    'app/',
    'shared/|sync/(protocol|operations|client)/|app/',
    'It calls the server through sync/ or app/lib/.',
  ],
  ['app/lib/', 'shared/|sync/|app/(lib/|paths.ts)', 'Helpers that know no feature.'],
  ['app/ui/', 'shared/|sync/|app/(ui/|lib/|styles/|paths.ts)', 'It knows nothing of polls or points.'],
  ['app/features/', 'shared/|sync/|app/(features/|ui/|lib/|styles/|paths.ts)', 'Routes compose them.'],
  [
    'scripts/',
    'shared/|scripts/|api/admin/samples/|api/(server|renew-epoch|move-images|backup/backup-command).ts',
    'They start things, they are no library.',
  ],
  ['e2e/(?!faults|hard|cluster)', 'shared/|scripts/|e2e/|app/paths.ts', 'They see the product from outside.'],
  ['e2e/faults/', 'shared/|sync/|api/|scripts/|e2e/faults/', 'The real engine and server, without screens.'],
  ['e2e/hard/', 'shared/|api/|e2e/hard/', 'Processes of the server, from outside and in their database.'],
  [
    'e2e/cluster/',
    'shared/|api/|scripts/|bench/load/|e2e/(hard|cluster)/',
    'Several processes, in one cluster.',
  ],
  ['bench/', 'shared/|sync/|api/|scripts/|bench/', 'Benchmarks measure the product.'],
];

const SERVER_PACKAGES = 'hono|@hono|drizzle-orm|postgres|@electric-sql|piscina';
const SCREEN_PACKAGES = 'react|react-dom|react-router-dom|jotai|dexie-react-hooks|lucide-react|@tanstack';

/** Packages that a side must not load: another side's framework, or Node where there is none. */
const MAY_NOT_LOAD: readonly Row[] = [
  ['shared/', 'node_modules/(?!zod/)', 'It uses zod alone.'],
  ['sync/', `node_modules/(${SERVER_PACKAGES}|${SCREEN_PACKAGES})/|^node:`, 'It needs a browser alone.'],
  ['app/', `node_modules/(${SERVER_PACKAGES})/|^node:`, 'It runs in a browser.'],
  ['api/', `node_modules/(${SCREEN_PACKAGES}|dexie|workbox-window)/`, 'It has no screen and no browser.'],
];

export const IMPORT_RULES: IForbiddenRuleType[] = [
  { name: 'no-cycles', comment: 'What both need is a file of its own.', from: {}, to: { circular: true } },
  {
    name: 'no-missing-files',
    comment: 'The file is not there, or has no extension, or package.json lacks the package.',
    // The packages of the benchmarks' peers are installed when they are needed.
    from: { pathNot: '^bench/peers/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'no-test-code-in-the-product',
    comment: 'What the product needs moves out of testing/.',
    from: { path: '^(shared|sync|api|app)/', pathNot: TEST_CODE },
    to: { path: TEST_CODE },
  },
  {
    name: 'routes-without-sql',
    comment: 'routes.ts only translates HTTP: SQL is in queries.ts or in a verb of its own.',
    from: { path: `^api/(${Object.keys(NOUN_USES).join('|')})/.*routes[.]ts$` },
    to: { path: '^api/db/|node_modules/(drizzle-orm|postgres|@electric-sql)/' },
  },
  {
    name: 'tracing-sdk',
    comment: 'api/tracing/start-tracing.ts alone loads OpenTelemetry’s SDK, and that only when it is wanted.',
    from: { path: '^api/', pathNot: `^api/tracing/start-tracing[.]ts$|${TEST_CODE}` },
    to: { path: 'node_modules/@opentelemetry/(?!api/)' },
  },
  {
    name: 'features-apart',
    comment: 'A route puts features together; what both need goes to app/ui or app/lib.',
    from: { path: '^app/features/([^/]+)/', pathNot: TEST_CODE },
    to: { path: '^app/features/', pathNot: '^app/features/$1/' },
  },
  ...MAY_IMPORT.map(([from, to, comment]) => ({
    name: `imports of ${from}`,
    comment,
    from: { path: `^${from}`, pathNot: from.startsWith('e2e/') ? [] : TEST_CODE },
    to: { path: `^(${FOLDERS.join('|')})/`, pathNot: `^(${to})` },
  })),
  ...MAY_NOT_LOAD.map(([from, to, comment]) => ({
    name: `packages of ${from}`,
    comment,
    from: { path: `^${from}`, pathNot: TEST_CODE },
    to: { path: to },
  })),
];

/** The imports of the project in `root` that break a rule: the file, what it imports, and the rule's name and reason. */
export async function findForbiddenImports(root: string): Promise<string[]> {
  const { output } = await cruise(
    FOLDERS,
    {
      baseDir: root,
      ruleSet: { forbidden: IMPORT_RULES },
      validate: true,
      // TypeScript 7 has no compiler interface for JavaScript; SWC reads the files instead.
      parser: 'swc',
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '^e2e/faults/releases/|webkit-browser[.]js$' },
    },
    // An import names its file with the extension.
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.js'],
    },
  );
  const reasons = new Map(IMPORT_RULES.map(({ name, comment }) => [name, comment]));
  return (output as ICruiseResult).summary.violations.map(
    ({ from, to, rule: { name } }) => `${from} may not import ${to} (${name}: ${reasons.get(name)})`,
  );
}
