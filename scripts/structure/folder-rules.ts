import { isTestCode, type ResolvedImport, topFolder, type Violation } from './model.ts';

type Rule = { may: readonly string[]; hint: string };

/** Which areas each area may import from. The first matching prefix is the area of a file. */
const AREAS: Readonly<Record<string, Rule>> = {
  'shared/': { may: ['shared/'], hint: 'shared/ holds what client and server agree on, with zod/mini alone' },
  'sync/protocol/': {
    may: ['shared/', 'sync/protocol/'],
    hint: 'the protocol is known to the server too; what only a device needs belongs in sync/client/',
  },
  'sync/client/': {
    may: ['shared/', 'sync/protocol/', 'sync/client/'],
    hint: 'the engine knows neither screen nor server; hand abilities in through Capabilities',
  },
  'sync/worker/': {
    may: ['shared/', 'sync/protocol/', 'sync/client/', 'sync/worker/'],
    hint: 'the service worker is built of sync/ alone',
  },
  'sync/testing/': {
    may: ['shared/', 'sync/protocol/', 'sync/client/', 'sync/testing/'],
    hint: 'fakes stand in for abilities of the browser only',
  },
  'api/': {
    may: ['shared/', 'sync/protocol/', 'api/'],
    hint: 'the server shares only shared/ and sync/protocol/ with the app; put common rules into shared/',
  },
  'app/': {
    may: ['shared/', 'sync/protocol/', 'sync/client/', 'app/'],
    hint: 'the app reaches the server through sync/client/ or app/lib/api-client.ts',
  },
  'scripts/': {
    may: ['shared/', 'api/server.ts', 'api/renew-epoch.ts', 'api/services/illustrations/', 'scripts/'],
    hint: 'scripts start things and show the drawings, they are no library',
  },
  'e2e/faults/': {
    may: ['shared/', 'sync/', 'api/', 'scripts/', 'e2e/faults/'],
    hint: 'the fault tests put the real engine in front of the real server, and nothing of the screen',
  },
  // The list of addresses, so that a new screen is never left out of what is asked of all of them.
  'e2e/': {
    may: ['shared/', 'scripts/', 'e2e/', 'app/paths.ts'],
    hint: 'end-to-end tests see the product from outside',
  },
  'bench/': {
    may: ['shared/', 'sync/', 'api/', 'scripts/', 'bench/'],
    hint: 'benchmarks measure the product',
  },
};

/** Packages that would break an area: another side's framework, or Node where there is none. */
const SERVER_PACKAGES = [
  'hono',
  '@hono/node-server',
  'drizzle-orm',
  'postgres',
  '@electric-sql/pglite',
  'piscina',
];
const SCREEN_PACKAGES = [
  'react',
  'react-dom',
  'react-router-dom',
  'jotai',
  'dexie-react-hooks',
  'lucide-react',
];
const DEVICE_PACKAGES = ['dexie', 'workbox-window'];

const FORBIDDEN_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'sync/': [...SERVER_PACKAGES, ...SCREEN_PACKAGES, 'node:'],
  'app/': [...SERVER_PACKAGES, 'node:'],
  'api/': [...SCREEN_PACKAGES, ...DEVICE_PACKAGES],
};

function areaOf(path: string): string | undefined {
  return Object.keys(AREAS).find((prefix) => path.startsWith(prefix));
}

function checkPackage(path: string, site: ResolvedImport & { pkg: string }): string | null {
  if (site.pkg === 'zod' && site.specifier !== 'zod/mini') {
    return `imports "${site.specifier}"; use zod/mini, it is the size that a phone should load`;
  }
  if (isTestCode(path)) return null;
  if (topFolder(path) === 'shared' && site.pkg !== 'zod') {
    return `imports "${site.specifier}", but shared/ may use zod/mini alone; move this to the side that needs it`;
  }
  const area = Object.keys(FORBIDDEN_PACKAGES).find((prefix) => path.startsWith(prefix));
  const isForbidden = area !== undefined && FORBIDDEN_PACKAGES[area]?.includes(site.pkg);
  return isForbidden ? `imports "${site.specifier}", which has no place in ${area}` : null;
}

/** A test may use all of its own side, so that it can drive the real thing and the fakes beside it. */
function mayImport(path: string, rule: Rule, to: string): boolean {
  const own = isTestCode(path) ? [`${topFolder(path)}/`] : [];
  return [...rule.may, ...own].some((prefix) => to.startsWith(prefix));
}

/** The table of imports between top folders, and the packages that each may use. */
export function checkFolders(path: string, imports: readonly ResolvedImport[]): Violation[] {
  const area = areaOf(path);
  const rule = area === undefined ? undefined : AREAS[area];
  return imports.flatMap((site) => {
    let message: string | null = null;
    if (site.pkg !== null) message = checkPackage(path, site);
    else if (rule && !mayImport(path, rule, site.to)) {
      message = `${area} may not import ${site.to}: ${rule.hint}`;
    } else if (site.to.includes('/testing/') && !isTestCode(path)) {
      message = `imports ${site.to}, which is for tests only; move what the product needs out of testing/`;
    }
    return message === null ? [] : [{ path, line: site.line, message }];
  });
}
