import { COMPILE_CACHE } from '#scripts/run/compile-cache.ts';
import { type StartedServer, startServer } from '#scripts/run/started-server.ts';

/** Modules that are loaded in each thread of a test server before its own code. */
const PRELOADED = [
  import.meta.resolve('#api/testing/servers/cheap-passwords.ts'),
  import.meta.resolve('#api/testing/servers/fast-start.ts'),
];
/** Settings for a fast start and cheap password hashes. */
const FAST_SETTINGS = {
  ...COMPILE_CACHE,
  NODE_OPTIONS: [process.env.NODE_OPTIONS, ...PRELOADED.map((url) => `--import=${url}`)].join(' '),
};

/** Passes the template, a data folder of which servers get copies, on to the workers. */
const TEMPLATE_VARIABLE = 'E2E_DATA_TEMPLATE';

/** Lets a server create the template's database. Returns the function that removes the template. */
export async function createTemplate(): Promise<() => Promise<void>> {
  const server = await startNewInstallation();
  await server.stop();
  process.env[TEMPLATE_VARIABLE] = server.dataDir;
  return server.remove;
}

/** Starts a server that creates its own database. */
export function startNewInstallation(): Promise<StartedServer> {
  return startServer(FAST_SETTINGS);
}

/** Starts a server with a copy of the template's database, whose only user is the owner. */
export function startFromTemplate(settings: Record<string, string> = {}): Promise<StartedServer> {
  return startServer({ ...FAST_SETTINGS, ...settings }, process.env[TEMPLATE_VARIABLE]);
}
