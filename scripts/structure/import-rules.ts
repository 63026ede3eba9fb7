import type { IForbiddenRuleType } from 'dependency-cruiser';

// Who may import whom, as docs/ARCHITECTURE.md draws it, in the terms of dependency-cruiser; type imports count too.

const OURS = '^(?:shared|sync|api|app|scripts|e2e|bench)/';
const TEST_CODE = '[.](?:test|spec)[.]tsx?$|/testing/';
const NOUNS = 'accounts|polls|points|referrals|reports|activity|notifications|explore|admin';

/** Files below `from` import these of the project's own files, and no others. Tests may use all of their own side. */
const only = (name: string, from: string, may: string, comment: string): IForbiddenRuleType => ({
  name,
  severity: 'error',
  comment,
  from: { path: from, pathNot: from.startsWith('^e2e/') ? [] : TEST_CODE },
  to: { path: OURS, pathNot: may },
});

/** Packages that a side must not load: another side's framework, or Node where there is none. */
const without = (name: string, from: string, packages: string, comment: string): IForbiddenRuleType => ({
  name,
  severity: 'error',
  comment,
  from: { path: from, pathNot: TEST_CODE },
  to: { path: packages },
});

const SERVER_PACKAGES = 'node_modules/(?:hono|@hono|drizzle-orm|postgres|@electric-sql|piscina)/';
const SCREEN_PACKAGES =
  'node_modules/(?:react|react-dom|react-router-dom|jotai|dexie-react-hooks|lucide-react|@tanstack)/';
const DEVICE_PACKAGES = 'node_modules/(?:dexie|workbox-window)/';

/** Imports that are against the layout of the project. */
export const FORBIDDEN_IMPORTS: IForbiddenRuleType[] = [
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'no-missing-files',
    severity: 'error',
    // The packages of the benchmarks' peers are installed when they are needed.
    from: { pathNot: '^bench/peers/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'no-test-code-in-the-product',
    severity: 'error',
    comment: 'What the product needs moves out of testing/.',
    from: { path: '^(?:shared|sync|api|app)/', pathNot: TEST_CODE },
    to: { path: TEST_CODE },
  },

  only('shared', '^shared/', '^shared/', 'What client and server agree on, with zod alone.'),
  only('protocol', '^sync/protocol/', '^(?:shared|sync/protocol)/', 'The server knows it too.'),
  only('operations', '^sync/operations/', '^(?:shared|sync/(?:protocol|operations))/', 'Plain rules.'),
  only(
    'engine',
    '^sync/client/',
    '^(?:shared|sync/(?:protocol|operations|client))/',
    'It knows neither screen nor server.',
  ),
  only(
    'worker',
    '^sync/worker/',
    '^(?:shared|sync/(?:protocol|operations|client|worker))/',
    'Built of sync/ alone.',
  ),
  only('server', '^api/', '^(?:shared|sync/(?:protocol|operations)|api)/', 'Common rules go into shared/.'),
  only(
    'app',
    '^app/',
    '^(?:shared|sync/(?:protocol|operations|client)|app)/',
    'It reaches the server through sync/ or app/lib/api/api-client.ts.',
  ),
  only(
    'scripts',
    '^scripts/',
    '^(?:shared/|scripts/|api/(?:server|renew-epoch|move-images|backup/backup-command)[.]ts|api/admin/samples/)',
    'They start things and show the sample illustrations, they are no library.',
  ),
  only(
    'fault-tests',
    '^e2e/faults/',
    '^(?:shared|sync|api|scripts|e2e/faults)/',
    'The real engine before the real server, without screens.',
  ),
  only(
    'hard-tests',
    '^e2e/hard/',
    '^(?:shared|api|e2e/hard)/',
    'Real processes of the server, seen from outside and in their database.',
  ),
  only(
    'cluster-tests',
    '^e2e/cluster/',
    '^(?:shared|api|scripts|bench/load|e2e/(?:hard|cluster))/',
    'Several processes of the server behind a load balancer.',
  ),
  only(
    'e2e',
    '^e2e/(?!faults/|hard/|cluster/)',
    '^(?:shared/|scripts/|e2e/|app/paths[.]ts)',
    'They see the product from outside.',
  ),
  only('bench', '^bench/', '^(?:shared|sync|api|scripts|bench)/', 'Benchmarks measure the product.'),

  only('api-tracing', '^api/tracing/', '^api/tracing/', 'Every part of the server may use it.'),
  {
    name: 'api-tracing-sdk',
    severity: 'error',
    comment:
      'OpenTelemetry’s SDK is loaded by api/tracing/start-tracing.ts alone, and that only when it is wanted.',
    from: { path: '^api/', pathNot: `^api/tracing/start-tracing[.]ts$|${TEST_CODE}` },
    to: { path: 'node_modules/@opentelemetry/(?!api/)' },
  },
  only(
    'api-db',
    '^api/db/',
    '^(?:shared/|api/(?:db|tracing)/|api/(?:errors|env)[.]ts)',
    'The lowest layer of the server.',
  ),
  only(
    'api-http',
    '^api/http/',
    '^(?:shared/|sync/protocol/|api/(?:http|db|tracing)/|api/(?:errors|env)[.]ts)',
    'What every request passes; it knows no noun.',
  ),
  only(
    'api-storage',
    '^api/storage/',
    '^api/(?:storage/|(?:errors|env)[.]ts)',
    'Where files are kept, whatever they are.',
  ),
  only(
    'api-services',
    '^api/(?:images|storage|jobs|mail|push|live|passwords)/',
    '^(?:shared/|api/(?:images|storage|jobs|mail|push|live|passwords|http|db|tracing)/|api/(?:errors|env)[.]ts)',
    'Nouns use them, not the other way round.',
  ),
  only(
    'api-nouns',
    `^api/(?:${NOUNS}|docs|metrics)/`,
    `^(?:shared/|sync/protocol/|api/(?:${NOUNS}|docs|images|storage|jobs|mail|push|live|passwords|http|db)/|api/(?:deps|errors|env)[.]ts)`,
    'app.ts puts them together.',
  ),
  only(
    'api-accounts',
    '^api/accounts/',
    '^(?!api/(?:polls|referrals|reports|activity|explore|admin)/)',
    'Accounts use points and notifications.',
  ),
  only(
    'api-polls',
    '^api/polls/',
    '^(?!api/(?:accounts|referrals|activity|notifications|explore|admin)/)',
    'Polls use points and reports.',
  ),
  only(
    'api-points',
    '^api/points/',
    '^(?!api/(?:accounts|polls|referrals|reports|activity|notifications|explore|admin)/)',
    'The ledger knows nobody who uses it.',
  ),
  only(
    'api-reports',
    '^api/reports/',
    '^(?!api/(?:accounts|polls|points|referrals|activity|notifications|explore|admin)/)',
    'Reports and blocks know nobody who uses them.',
  ),
  only(
    'api-activity',
    '^api/activity/',
    '^(?!api/(?:accounts|points|referrals|notifications|explore|admin)/)',
    'Activity uses polls and reports.',
  ),
  only(
    'api-notifications',
    '^api/notifications/',
    '^(?!api/(?:accounts|points|referrals|reports|activity|explore|admin)/)',
    'Notifications use polls.',
  ),
  only(
    'api-explore',
    '^api/explore/',
    '^(?!api/(?:accounts|points|referrals|activity|notifications|admin)/)',
    'Explore uses polls and reports.',
  ),
  {
    name: 'api-routes',
    severity: 'error',
    comment: 'routes.ts only translates HTTP: SQL is in queries.ts or in a verb of its own.',
    from: { path: `^api/(?:${NOUNS})/.*routes[.]ts$` },
    to: { path: '^api/db/|node_modules/(?:drizzle-orm|postgres|@electric-sql)/' },
  },

  only('app-lib', '^app/lib/', '^(?:shared|sync)/|^app/(?:lib/|paths[.]ts)', 'Helpers that know no feature.'),
  only(
    'app-ui',
    '^app/ui/',
    '^(?:shared|sync)/|^app/(?:ui/|lib/|styles/|paths[.]ts)',
    'Components that know nothing of polls or points.',
  ),
  only(
    'app-features',
    '^app/features/',
    '^(?:shared|sync)/|^app/(?:features/|ui/|lib/|styles/|paths[.]ts)',
    'Routes and layouts put features together.',
  ),
  {
    name: 'app-features-apart',
    severity: 'error',
    comment:
      'Features do not know each other: a route puts them together, what both need goes to app/ui or app/lib.',
    from: { path: '^app/features/([^/]+)/', pathNot: TEST_CODE },
    to: { path: '^app/features/', pathNot: '^app/features/$1/' },
  },

  without('shared-packages', '^shared/', 'node_modules/(?!zod/)', 'shared/ uses zod alone.'),
  without(
    'sync-packages',
    '^sync/',
    `${SERVER_PACKAGES}|${SCREEN_PACKAGES}|^node:`,
    'Plain TypeScript for a browser.',
  ),
  without('app-packages', '^app/', `${SERVER_PACKAGES}|^node:`, 'It runs in a browser.'),
  without(
    'api-packages',
    '^api/',
    `${SCREEN_PACKAGES}|${DEVICE_PACKAGES}`,
    'It has no screen and no browser.',
  ),
];
