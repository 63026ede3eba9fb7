import { dirname } from 'node:path/posix';
import { NOUN_USES } from './import-rules.ts';

const NOUNS = Object.keys(NOUN_USES).join('|');
const NAME = '[a-z0-9]+(?:-[a-z0-9]+)*';
/** `x.test.ts`, and `x.postgres.test.ts` for what only a real PostgreSQL shows. */
const TEST = '(?:(?:\\.postgres)?\\.test)?';
const FILE = `${NAME}${TEST}\\.tsx?`;
const FEATURES = `${NOUNS}|connection|diagnostic|install|outbox|referrals|settings|warm-up`;

/** What may lie in each top folder; paths are relative to it. */
const PLACES: Readonly<Record<string, { allowed: readonly string[]; hint: string }>> = {
  shared: {
    allowed: [
      `(?:contract|errors|http|batch|connection|time)${TEST}\\.ts`,
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
      `(?:server|start-server|start-background-work|create-deps|start-error|renew-epoch|move-images|data-folders|app|deps|env|configuration-warnings|errors|version)${TEST}\\.ts`,
      `(?:http/(?:(?:limits|logging|server|session)/)?|db/(?:(?:postgres|schema)/)?)${FILE}`,
      'db/migrations/.+',
      `(?:images|storage|jobs|mail|push|live|passwords|housekeeping|backup|docs|metrics|tracing|testing(?:/(?:external-services|servers))?)/${FILE}`,
      `(?:accounts(?:/(?:leaving|passkeys|passwords))?|polls(?:/(?:creating|maker|sharing|voting))?|points|reports|activity|notifications(?:/(?:digest|push))?|explore)/${FILE}`,
      'push/http-ece\\.d\\.ts',
      `polls/sharing/fonts/${NAME}\\.(?:ttf|txt)`,
      `admin/(?:(?:bulk|jobs|polls|reports|samples|users)/)?${FILE}`,
      `admin/samples/illustrations/${NAME}\\.svg`,
    ],
    hint: `api/ has a folder a noun (${NOUNS}), and http/, db/, images/, storage/, jobs/, mail/, push/, live/, passwords/, housekeeping/, backup/, docs/, metrics/, tracing/, testing/`,
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
    hint: 'e2e/ has one spec a user journey, testing/ for what they share, faults/ for random histories, hard/ for load on real servers, and cluster/ for several of them',
  },
  bench: {
    // wrk, which makes the load, runs Lua; the packages of the peers are not there for TypeScript.
    allowed: [
      `(?:${NAME}/)?${FILE}`,
      `load/${NAME}\\.lua`,
      `peers/(?:package(?:-lock)?\\.json|${NAME}\\.mjs)`,
    ],
    hint: 'bench/ has one script a benchmark, load/ for what they share, and peers/ for peers and packages that only they need',
  },
  scripts: {
    // GJS, in which a browser for WebKitWebDriver is written, runs JavaScript alone.
    allowed: [`(?:${NAME}/)?${FILE}`, 'engines/webkit-browser\\.js'],
    hint: 'scripts/ has one script an npm command, their parts one folder below',
  },
  deploy: {
    allowed: [`(?:grafana/)?${NAME}\\.(?:conf|json|service|sh|sql|timer|yaml)`, 'Caddyfile'],
    hint: 'deploy/ has what runs the server elsewhere: systemd units, backups, Kubernetes manifests, and the configuration of proxies and monitoring',
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

const AT_ROOT =
  /^(?:(?:README|CONTRIBUTING|CHANGELOG|SECURITY|CODE_OF_CONDUCT)\.md|LICENSE|(?:package|package-lock|tsconfig|biome|knip|renovate)\.json|(?:vite|vitest|drizzle)\.config\.ts|manifest\.webmanifest|Dockerfile|compose\.yaml|\.[a-z.-]+)$/;

/**
 * Why a file has no place at `path` (relative to the project's root, with forward slashes), or null. The vocabulary is
 * closed, so that everything has one place where a reader looks for it.
 */
export function misplacement(path: string): string | null {
  const [top = '', ...rest] = path.split('/');
  if (rest.length === 0) return AT_ROOT.test(path) ? null : 'belongs beside what it serves, not at the root';
  if (top.startsWith('.')) return null;
  const place = PLACES[top];
  if (place === undefined) return `${top}/ is no top folder; there are ${Object.keys(PLACES).join(', ')}`;
  const isAllowed = place.allowed.some((pattern) => new RegExp(`^(?:${pattern})$`).test(rest.join('/')));
  return isAllowed ? null : `has no place here, or is not kebab-case: ${place.hint}`;
}

const CALLER = /^(?:shared|sync|api|app)\//;
/** The contract itself, tests, and the worker, which names all paths of the API to leave them alone. */
const NAMES_PATHS = /\/contract\.ts$|\.test\.tsx?$|\/testing\/|^sync\/worker\/bypass\.ts$/;

/** Why the file at `path` must not write out a path of the API as it does, or null. */
export function writtenApiPath(path: string, text: string): string | null {
  if (!CALLER.test(path) || NAMES_PATHS.test(path) || !/["'`]\/api\/[\w{$*-]/.test(text)) return null;
  return 'writes out a path of the API: take it from the call in shared/<noun>/contract.ts';
}

/** "About fifteen": one more may wait until its subject is clear. */
const FILES_MAX = 16;

/** The folders of the product that have too many files, tests not counted: each with what to do about it. */
export function crowdedFolders(paths: Iterable<string>): string[] {
  const counted = [...paths].filter((path) => /^(?:shared|sync|api|app)\/.+(?<!\.test)\.tsx?$/.test(path));
  return [...Map.groupBy(counted, dirname)]
    .filter(([, files]) => files.length > FILES_MAX)
    .map(([folder, { length }]) => `${folder} has ${length} files: cut it by subject into folders`);
}
