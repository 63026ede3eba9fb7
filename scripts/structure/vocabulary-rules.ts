import { type ParsedFile, topFolder, type Violation } from './model.ts';

const NOUNS = 'auth|polls|points|referrals|admin';
const NAME = '[a-z0-9]+(?:-[a-z0-9]+)*';
/** `x.test.ts`, and `x.postgres.test.ts` for what only a real PostgreSQL shows. */
const TEST = '(?:(?:\\.postgres)?\\.test)?';

type Folder = { allowed: readonly RegExp[]; hint: string };

function entries(...patterns: string[]): RegExp[] {
  return patterns.map((pattern) => new RegExp(`^${pattern}$`));
}

/** What may lie in each top folder; paths are relative to it. */
const VOCABULARY: Readonly<Record<string, Folder>> = {
  shared: {
    allowed: entries(
      `(?:errors|http|connection|analytics)${TEST}\\.ts`,
      `(?:${NOUNS}|live)/(?:schema|constants|rules)${TEST}\\.ts`,
    ),
    hint: `shared/ has errors.ts, http.ts, connection.ts, analytics.ts and ${NOUNS.replaceAll('|', ', ')}, live with schema.ts, constants.ts, rules.ts`,
  },
  sync: {
    allowed: entries(
      `(?:protocol|client|worker|testing)/${NAME}${TEST}\\.ts`,
      'README\\.md',
      'worker/tsconfig\\.json',
      `worker/${NAME}\\.d\\.ts`,
    ),
    hint: 'sync/ has protocol/, client/, worker/ and testing/, one job a file and no folders below',
  },
  api: {
    allowed: entries(
      `(?:server|start-server|start-error|renew-epoch|app|app-env|deps|env|errors|http-error)${TEST}\\.ts`,
      `(?:middleware|db|services|testing)/${NAME}${TEST}\\.ts`,
      `services/illustrations/${NAME}${TEST}\\.ts`,
      `db/schema/${NAME}\\.ts`,
      'db/migrations/.+',
      `features/(?:${NOUNS}|operations|live|docs)/${NAME}${TEST}\\.ts`,
    ),
    hint: `api/ has middleware/, db/, services/ (drawings in services/illustrations/), testing/ and features/<${NOUNS}>/ with routes.ts, queries.ts and one verb a file`,
  },
  app: {
    allowed: entries(
      'index\\.html',
      'env\\.d\\.ts',
      `lib/${NAME}\\.worker\\.ts`,
      'index\\.css',
      `styles/${NAME}\\.css`,
      `(?:main|router)${TEST}\\.tsx`,
      `paths${TEST}\\.ts`,
      'public/.+',
      `routes/${NAME}${TEST}\\.tsx`,
      `(?:layouts|ui|lib)/${NAME}${TEST}\\.tsx?`,
      `features/(?:${NOUNS}|outbox|connection|settings|diagnostic)/(?:queries|actions|atoms)${TEST}\\.tsx?`,
      `features/(?:${NOUNS}|outbox|connection|settings|diagnostic)/components/${NAME}${TEST}\\.tsx?`,
    ),
    hint: 'app/ has routes/, layouts/, ui/, lib/, public/ and features/<noun>/ with queries.ts, actions.ts, atoms.ts, components/',
  },
  e2e: {
    allowed: entries(
      `${NAME}\\.spec\\.ts`,
      'playwright\\.config\\.ts',
      `testing/${NAME}\\.ts`,
      `faults/${NAME}${TEST}\\.ts`,
      'faults/releases/[0-9][0-9a-z.-]*/(?:engine\\.js|database\\.json)',
    ),
    hint: 'e2e/ has one spec a user journey, testing/ for what they share, and faults/ for random histories, with the engines of earlier releases in faults/releases/',
  },
  bench: { allowed: entries(`(?:${NAME}/)?${NAME}${TEST}\\.ts`), hint: 'bench/ has one script a benchmark' },
  scripts: {
    // GJS, in which a browser for WebKitWebDriver is written, runs JavaScript alone.
    allowed: entries(`(?:${NAME}/)?${NAME}${TEST}\\.ts`, 'engines/webkit-browser\\.js'),
    hint: 'scripts/ has one script an npm command, their parts one folder below',
  },
  docs: {
    allowed: entries(
      'ARCHITECTURE\\.md',
      '(?:performance|faults|spec-coverage)\\.md',
      `decisions/\\d{3}-${NAME}\\.md`,
      `pictures/${NAME}\\.(?:png|svg|webp)`,
    ),
    hint: 'docs/ has ARCHITECTURE.md, performance.md, decisions/NNN-name.md and pictures/',
  },
};

const ROOT_FILES = entries(
  '(?:README|CONTRIBUTING)\\.md',
  'LICENSE',
  '(?:package|package-lock|tsconfig|biome|knip)\\.json',
  '(?:vite|vitest|drizzle)\\.config\\.ts',
  'manifest\\.webmanifest',
  '\\.[a-z.-]+',
);

function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The place of a file and its name: a closed vocabulary, so that everything has one place to look for it. */
export function checkPlace(path: string): Violation[] {
  const top = topFolder(path);
  const report = (message: string) => [{ path, line: 1, message }];
  if (top === '') {
    return ROOT_FILES.some((pattern) => pattern.test(path))
      ? []
      : report('does not belong at the root: put it into the folder of what it serves');
  }
  if (top.startsWith('.')) return [];
  const folder = VOCABULARY[top];
  if (!folder) return report(`${top}/ is no top folder; there are ${Object.keys(VOCABULARY).join(', ')}`);
  const rest = path.slice(top.length + 1);
  if (folder.allowed.some((pattern) => pattern.test(rest))) return [];
  const isKebab = path.split('/').every((part) => /^[a-z0-9]+([.-][a-z0-9]+)*$/.test(part));
  return report(
    isKebab ? `has no place here: ${folder.hint}` : `is not kebab-case, or misplaced: ${folder.hint}`,
  );
}

/** A verb's file exports the verb (cast-vote.ts exports castVote), a component's file the component. */
export function checkExportName(file: ParsedFile): Violation[] {
  const verb = /^api\/features\/[^/]+\/([a-z0-9-]+)\.ts$/.exec(file.path)?.[1];
  const report = (message: string) => [{ path: file.path, line: 1, message }];
  if (verb && verb !== 'routes' && verb !== 'queries') {
    const name = camelCase(verb);
    if (file.exportNames.has(name)) return [];
    return report(
      `should export ${name}: a feature has one verb a file, named after it; reads go to queries.ts, helpers to api/services/`,
    );
  }
  const component = /^app\/.+\/([a-z0-9-]+)\.tsx$/.exec(file.path)?.[1];
  if (component && /\/(components|layouts|routes)\/[^/]+$/.test(file.path) && !file.path.includes('.test.')) {
    if ([...file.exportNames].some((name) => name === 'default' || /^[A-Z]/.test(name))) return [];
    return report(
      `should export a component, such as ${camelCase(`-${component}`)}; what draws nothing goes to a .ts file`,
    );
  }
  return [];
}
