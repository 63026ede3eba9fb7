import { isTestCode, type ParsedFile, type ResolvedImport, type Violation } from './model.ts';

/** Layers from the top down; a file imports its own layer or a lower one. */
const APP_LAYERS: readonly (readonly [prefix: string, rank: number])[] = [
  ['app/routes/', 4],
  ['app/layouts/', 4],
  ['app/features/', 3],
  ['app/ui/', 2],
  ['app/lib/', 1],
  ['app/paths.ts', 0],
  ['app/styles/', 0],
  ['app/', 5],
];

const API_LAYERS: readonly (readonly [prefix: string, rank: number])[] = [
  ['api/features/', 4],
  ['api/middleware/', 3],
  ['api/deps.ts', 3],
  ['api/http/app-env.ts', 2],
  ['api/services/', 2],
  ['api/db/', 1],
  ['api/env.ts', 0],
  ['api/errors.ts', 0],
  ['api/http/error-mapping.ts', 3],
  ['api/', 5],
];

const LAYERS = [...APP_LAYERS, ...API_LAYERS];

const ORDERS = {
  app: 'routes and layouts -> features -> ui -> lib',
  api: 'app -> features -> middleware -> services -> db',
} as const;

function layerOf(path: string): readonly [prefix: string, rank: number] | undefined {
  return LAYERS.find(([prefix]) => path.startsWith(prefix));
}

/** `app/features/polls/actions.ts` belongs to `app/features/polls/`. */
function featureOf(path: string): string | undefined {
  return /^app\/features\/[^/]+\//.exec(path)?.[0];
}

function checkLayer(path: string, to: string): string | null {
  const side = path.startsWith('app/') ? 'app' : 'api';
  const from = layerOf(path);
  const target = layerOf(to);
  if (!from || !target || !to.startsWith(`${side}/`) || isTestCode(to)) return null;
  if (target[1] > from[1]) {
    return `${from[0]} may not import ${to}: the order is ${ORDERS[side]}; move it down, or compose further up`;
  }
  const feature = featureOf(path);
  if (feature && featureOf(to) && featureOf(to) !== feature) {
    return `a feature may not import another one (${to}): compose them in a route, or move what both need to app/ui, app/lib or shared/`;
  }
  return null;
}

const SQL_PACKAGES = ['drizzle-orm', 'postgres', '@electric-sql/pglite'];

function checkRoutesFile(path: string, site: ResolvedImport): string | null {
  if (!/^api\/features\/[^/]+\/routes\.ts$/.test(path)) return null;
  const touchesDatabase = site.pkg === null ? site.to.startsWith('api/db/') : SQL_PACKAGES.includes(site.pkg);
  return touchesDatabase
    ? `routes.ts only translates HTTP: move what needs "${site.specifier}" into queries.ts or a verb's own file`
    : null;
}

/** The layers within app/ and api/, features that keep to themselves, and routes without SQL. */
export function checkLayers(path: string, imports: readonly ResolvedImport[]): Violation[] {
  if (isTestCode(path)) return [];
  return imports.flatMap((site) => {
    const message = checkRoutesFile(path, site) ?? (site.to === null ? null : checkLayer(path, site.to));
    return message === null ? [] : [{ path, line: site.line, message }];
  });
}

/** `api/env.ts` is the only reader of the environment on the server; the other sides have none. */
export function checkEnvironment(file: ParsedFile): Violation[] {
  const isProduct = /^(api|app|shared|sync)\//.test(file.path);
  if (!isProduct || isTestCode(file.path) || file.path === 'api/env.ts') return [];
  return file.environmentLines.map((line) => ({
    path: file.path,
    line,
    message: 'reads process.env: api/env.ts is the only reader of the environment; hand the value in',
  }));
}
