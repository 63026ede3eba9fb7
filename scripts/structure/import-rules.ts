import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';

// Which folder may import which, as in docs/ARCHITECTURE.md, including type imports. Paths in the tables are regular
// expressions.

/** The folders that are checked. */
const FOLDERS = ['shared', 'sync', 'api', 'app', 'scripts', 'e2e', 'bench'];
const TEST_CODE = '[.](?:test|spec)[.]tsx?$|/testing/';

/** The nouns of `api/`, each with the nouns that it may import. */
export const NOUN_USES: Readonly<Record<string, readonly string[]>> = {
  points: [],
  reports: [],
  polls: ['points', 'reports'],
  explore: ['polls', 'reports'],
  activity: ['polls', 'reports'],
  notifications: ['polls'],
  accounts: ['points', 'polls', 'notifications'],
  admin: ['accounts', 'activity', 'explore', 'notifications', 'points', 'polls', 'reports'],
};

/** Folders that are no nouns, and the nouns that they may import. */
const OTHER_USES = { docs: [], metrics: [], housekeeping: ['accounts', 'polls'] };

const SERVICES = 'images|jobs|mail|push|live|passwords';
const BELOW_SERVICES = 'shared/|api/(http|db|tracing)/|api/(errors|env).ts';
const BELOW_NOUNS = `shared/|api/(http|db|storage|${SERVICES})/|api/(deps|errors|env).ts`;

const START_FILES = 'api/(data-folders|env|errors|start-error|version).ts';

type Row = readonly [from: string, to: string, reason: string];

const nounRow = ([noun, uses]: [string, readonly string[]]): Row => [
  `api/${noun}/`,
  `${BELOW_NOUNS}|api/(${[noun, ...uses].join('|')})/`,
  `It may import these other nouns: ${uses.join(', ') || 'none'}. app.ts combines them.`,
];

/** Of the project's own files, those in `from` may import only those in `to`. Tests are exempt, except those in `e2e/`. */
const MAY_IMPORT: readonly Row[] = [
  ['shared/', 'shared/', 'Shared by client and server; depends only on zod.'],
  ['sync/protocol/', 'shared/|sync/protocol/', 'What the parts of the engine agree on.'],
  ['sync/operations/', 'shared/|sync/(protocol|operations)/', 'Only rules, without storage or network.'],
  ['sync/client/', 'shared/|sync/(protocol|operations|client)/', 'It is independent of screens and server.'],
  ['sync/worker/', 'shared/|sync/(protocol|operations|client|worker)/', 'It imports only sync/ and shared/.'],
  ['api/', 'shared/|api/', 'Rules that client and server share belong in shared/.'],
  ['api/tracing/', 'api/tracing/', 'Every part of the server may import it, so it imports none.'],
  ['api/db/', 'shared/|api/(db|tracing)/|api/(errors|env).ts', 'The lowest layer of the server.'],
  ['api/http/', BELOW_SERVICES, 'It handles every request and imports no noun.'],
  ['api/storage/', 'api/storage/|api/(errors|env).ts', 'It stores files of any kind.'],
  [`api/(${SERVICES})/`, `${BELOW_SERVICES}|api/(storage|${SERVICES})/`, 'It imports no noun.'],
  ...Object.entries({ ...NOUN_USES, ...OTHER_USES }).map(nounRow),
  ['api/backup/', `api/(backup|db|storage|jobs|housekeeping)/|${START_FILES}`, 'It imports no noun.'],
  ['app/', 'shared/|sync/(protocol|operations|client)/|app/', 'The server is called by sync/ or app/lib/.'],
  ['app/lib/', 'shared/|sync/|app/(lib/|paths.ts)', 'Helpers that are independent of features.'],
  ['app/ui/', 'shared/|sync/|app/(ui/|lib/|styles/|paths.ts)', 'It is independent of features.'],
  ['app/features/', 'shared/|sync/|app/(features/|ui/|lib/|styles/|paths.ts)', 'Routes import features.'],
  [
    'scripts/',
    'shared/|scripts/|api/admin/samples/|api/(server|renew-epoch|move-images|run-sql|backup/backup-command|testing/servers/free-port).ts',
    'They run the entry points of the server, and otherwise use only its illustrations and freePort.',
  ],
  ['e2e/(?!faults|hard|cluster)', 'shared/|scripts/|e2e/|app/paths.ts', 'They test from outside.'],
  ['e2e/faults/', 'shared/|sync/|api/|scripts/|e2e/(faults|testing/error-monitor)', 'They use the engine.'],
  ['e2e/hard/', 'shared/|api/|bench/load/|e2e/hard/', 'They test server processes from outside.'],
  ['e2e/cluster/', 'shared/|api/|scripts/|bench/load/|e2e/(hard|cluster)/', 'They test several processes.'],
  ['bench/', 'shared/|sync/|api/|scripts/|bench/', 'Benchmarks measure the product.'],
];

const SERVER_PACKAGES = 'hono|@hono|drizzle-orm|postgres|@electric-sql|piscina';
const SCREEN_PACKAGES = 'react|react-dom|react-router-dom|jotai|dexie-react-hooks|lucide-react|@tanstack';

/** Packages that must not be imported: frameworks of other parts, and Node's modules where there is no Node. */
const MAY_NOT_LOAD: readonly Row[] = [
  ['shared/', 'node_modules/(?!zod/)', 'Its only package is zod.'],
  ['sync/', `node_modules/(${SERVER_PACKAGES}|${SCREEN_PACKAGES})/|^node:`, 'It runs in a browser.'],
  ['app/', `node_modules/(${SERVER_PACKAGES})/|^node:`, 'It runs in a browser.'],
  ['api/', `node_modules/(${SCREEN_PACKAGES}|dexie|workbox-window)/`, 'It runs in Node.'],
];

export const IMPORT_RULES: IForbiddenRuleType[] = [
  { name: 'no-cycles', comment: 'Move shared code to a separate file.', from: {}, to: { circular: true } },
  {
    name: 'no-test-code-in-the-product',
    comment: 'Move code that the product needs out of testing/.',
    from: { path: '^(shared|sync|api|app)/', pathNot: TEST_CODE },
    to: { path: TEST_CODE },
  },
  {
    name: 'routes-without-sql',
    comment: 'routes.ts only handles HTTP: SQL belongs in queries.ts or in a verb.',
    from: { path: `^api/(${Object.keys(NOUN_USES).join('|')})/.*routes[.]ts$` },
    to: { path: '^api/db/|node_modules/(drizzle-orm|postgres|@electric-sql)/' },
  },
  {
    name: 'tracing-sdk',
    comment:
      'Only api/tracing/start-tracing.ts imports OpenTelemetry’s SDK, and only if tracing is configured.',
    from: { path: '^api/', pathNot: `^api/tracing/start-tracing[.]ts$|${TEST_CODE}` },
    to: { path: 'node_modules/@opentelemetry/(?!api/)' },
  },
  {
    name: 'features-apart',
    comment: 'Routes combine features; shared code belongs in app/ui or app/lib.',
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

/** The imports in the project at `root` that violate a rule: the file, what it imports, and the rule's name and reason. */
export async function findForbiddenImports(root: string): Promise<string[]> {
  const { output } = await cruise(
    FOLDERS,
    {
      baseDir: root,
      ruleSet: { forbidden: IMPORT_RULES },
      validate: true,
      // TypeScript 7 has no compiler API for JavaScript, so SWC parses the files.
      parser: 'swc',
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '^e2e/faults/releases/|webkit-browser[.]js$' },
    },
    // Imports contain the extension, so no other extension has to be tried.
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
