import { dirname } from 'node:path/posix';
import { NOUN_USES } from './import-rules.ts';

const NOUNS = Object.keys(NOUN_USES).join('|');
const NAME = '[a-z0-9]+(?:-[a-z0-9]+)*';
/** `x.test.ts`, or `x.postgres.test.ts` for tests that need a PostgreSQL server. */
const TEST = '(?:(?:\\.postgres)?\\.test)?';
const FILE = `${NAME}${TEST}\\.tsx?`;
const FEATURES = `${NOUNS}|connection|diagnostic|install|outbox|referrals|settings|warm-up`;

/** The paths that are allowed in each top-level folder, relative to it. */
const FOLDER_RULES: Readonly<Record<string, { allowed: readonly string[]; hint: string }>> = {
  shared: {
    allowed: [
      `(?:contract|errors|http|query|batch|connection|time)${TEST}\\.ts`,
      `(?:${NOUNS}|accounts/passkeys|live|service)/(?:contract|schema|constants|(?:[a-z]+-)?rules)${TEST}\\.ts`,
    ],
    hint: `shared/<${NOUNS}|live|service>/ has contract.ts, schema.ts, constants.ts, rules.ts and <subject>-rules.ts`,
  },
  sync: {
    allowed: [
      'README\\.md',
      `(?:protocol|operations|worker|testing)/${FILE}`,
      `client/(?:(?:outbox|drain|cache|session|live|device)/)?${FILE}`,
      'worker/(?:tsconfig\\.json|workbox-manifest\\.d\\.ts)',
    ],
    hint: 'sync/ has operations/, protocol/, client/, worker/ and testing/; client/ has outbox/, drain/, cache/, session/, live/, device/',
  },
  api: {
    allowed: [
      'tsconfig\\.json',
      `(?:server|start-server|start-background-work|create-deps|start-error|renew-epoch|move-images|run-sql|data-folders|app|deps|env|configuration-warnings|errors|version)${TEST}\\.ts`,
      `(?:http/(?:(?:limits|logging|server|session)/)?|db/(?:(?:embedded|postgres|schema)/)?)${FILE}`,
      'db/migrations/.+',
      `(?:images|storage|jobs|mail|push|live|passwords|housekeeping|backup|docs|metrics|tracing|testing(?:/(?:authenticator|external-services|releases|servers))?)/${FILE}`,
      `(?:accounts(?:/(?:leaving|passkeys|passwords))?|polls(?:/(?:creating|maker|sharing|voting))?|points|reports|activity|notifications(?:/(?:digest|push))?|explore)/${FILE}`,
      'push/http-ece\\.d\\.ts',
      `polls/sharing/fonts/${NAME}\\.(?:ttf|txt)`,
      `admin/(?:(?:bulk|jobs|polls|reports|samples|users)/)?${FILE}`,
      `admin/samples/illustrations/${NAME}\\.svg`,
    ],
    hint: `api/ has a folder for each noun (${NOUNS}), and http/, db/, images/, storage/, jobs/, mail/, push/, live/, passwords/, housekeeping/, backup/, docs/, metrics/, tracing/, testing/`,
  },
  app: {
    allowed: [
      '(?:tsconfig\\.json|index\\.html|index\\.css|env\\.d\\.ts|(?:main|prerender|router)\\.tsx)',
      `paths${TEST}\\.ts`,
      'public/.+',
      `styles/${NAME}\\.css`,
      `(?:routes(?:/(?:account|polls))?|layouts|ui(?:/(?:feedback|forms))?)/${FILE}`,
      `lib/(?:${NAME}/)?${NAME}(?:\\.worker)?${TEST}\\.tsx?`,
      `features/(?:${FEATURES})/(?:queries|actions|atoms)${TEST}\\.tsx?`,
      `features/(?:${FEATURES})/(?:hooks|lib|components(?:/${NAME})?)/${FILE}`,
    ],
    hint: 'app/ has routes/, layouts/, ui/, lib/ and features/<noun>/ with queries.ts, actions.ts, atoms.ts, components/, hooks/, lib/',
  },
  e2e: {
    allowed: [
      `${NAME}\\.spec\\.ts`,
      'playwright\\.config\\.ts',
      `testing/${NAME}\\.ts`,
      `(?:faults|hard|cluster)/${FILE}`,
      '(?:hard|cluster)/vitest\\.config\\.ts',
      'faults/releases/[0-9][0-9a-z.-]*/(?:engine\\.js|(?:database|openapi)\\.json)',
    ],
    hint: 'e2e/ has one spec for each user journey, testing/ for shared helpers, faults/ for random histories, hard/ for load on real servers, and cluster/ for several servers',
  },
  bench: {
    // The load generator wrk runs Lua scripts. The reference servers are JavaScript, since their packages are not
    // installed for the type check.
    allowed: [
      `(?:${NAME}/)?${FILE}`,
      `load/${NAME}\\.lua`,
      `packages/(?:package(?:-lock)?\\.json|${NAME}\\.mjs)`,
    ],
    hint: 'bench/ has one script for each benchmark, load/ for shared helpers, and packages/ for the reference servers and their packages',
  },
  scripts: {
    // The browser for WebKitWebDriver is run by GJS, which does not support TypeScript.
    allowed: [`(?:${NAME}/)?${FILE}`, 'engines/webkit-browser\\.js'],
    hint: 'scripts/ has one script for each npm command, and their modules in folders one level below',
  },
  deploy: {
    allowed: [`(?:grafana/)?${NAME}\\.(?:conf|json|service|sh|sql|timer|yaml)`, 'Caddyfile'],
    hint: 'deploy/ has the files for deployment: systemd units, backups, Kubernetes manifests, and the configuration of proxies and monitoring',
  },
  docs: {
    allowed: [
      '(?:ARCHITECTURE|GLOSSARY|performance|faults|reliability|security|asvs|operating|scaling|growth|spec-coverage)\\.md',
      `decisions/\\d{3}-${NAME}\\.md`,
      `images/${NAME}\\.(?:png|svg|webp)`,
    ],
    hint: 'docs/ has ARCHITECTURE.md, GLOSSARY.md, performance.md, faults.md, reliability.md, security.md, asvs.md, operating.md, scaling.md, growth.md, spec-coverage.md, decisions/NNN-name.md and images/',
  },
};

const ROOT_FILES =
  /^(?:(?:README|CONTRIBUTING|CHANGELOG|SECURITY|CODE_OF_CONDUCT)\.md|LICENSE|(?:package|package-lock|tsconfig|biome|knip|renovate)\.json|(?:vite|vitest|drizzle)\.config\.ts|manifest\.webmanifest|Dockerfile|compose\.yaml|\.[a-z.-]+)$/;

/**
 * Returns why a file is misplaced at `path` (relative to the project's root, with forward slashes), or null if it is not. Only
 * listed names are allowed, so that each kind of file has a single place.
 */
export function misplacement(path: string): string | null {
  const [top = '', ...rest] = path.split('/');
  if (rest.length === 0)
    return ROOT_FILES.test(path)
      ? null
      : 'is not allowed at the root: move it to the folder that it belongs to';
  if (top.startsWith('.')) return null;
  const rules = FOLDER_RULES[top];
  if (rules === undefined)
    return `is not in an allowed top-level folder: ${Object.keys(FOLDER_RULES).join(', ')}`;
  const isAllowed = rules.allowed.some((pattern) => new RegExp(`^(?:${pattern})$`).test(rest.join('/')));
  return isAllowed ? null : `is not allowed here, or not in kebab-case: ${rules.hint}`;
}

const PRODUCT_CODE = /^(?:shared|sync|api|app)\//;
/** The contract, tests, the prefix of images, and the service worker's list of paths that it does not handle. */
const MAY_CONTAIN_PATHS =
  /\/contract\.ts$|\.test\.tsx?$|\/testing\/|^sync\/worker\/bypass\.ts$|^shared\/polls\/constants\.ts$/;

/** Returns what is wrong if the file at `path` contains a hard-coded API path, or null. */
export function hardCodedApiPath(path: string, text: string): string | null {
  if (!PRODUCT_CODE.test(path) || MAY_CONTAIN_PATHS.test(path)) return null;
  if (!/["'`]\/(?:api\/[\w{$*-]|uploads\/["'`$])/.test(text)) return null;
  return 'contains a hard-coded API path: use the call in shared/<noun>/contract.ts, or IMAGE_PATH_PREFIX';
}

/** One more than the "about fifteen" of CONTRIBUTING.md, so that a folder need not be split too early. */
const FILES_MAX = 16;

/** Returns a message for each folder of the product that has too many files, not counting tests. */
export function crowdedFolders(paths: Iterable<string>): string[] {
  const counted = [...paths].filter((path) => /^(?:shared|sync|api|app)\/.+(?<!\.test)\.tsx?$/.test(path));
  return [...Map.groupBy(counted, dirname)]
    .filter(([, files]) => files.length > FILES_MAX)
    .map(([folder, { length }]) => `${folder} has ${length} files: split it into folders by subject`);
}
