import { type StartedServer, startServer } from '#scripts/run/started-server.ts';

/** Loaded before the server of the tests, in each of its threads. */
const PRELOADED = [
  import.meta.resolve('#api/testing/servers/cheap-passwords.ts'),
  import.meta.resolve('#api/testing/servers/fast-start.ts'),
];
/** Settings of a server that starts sooner, and hashes passwords in no time. */
const QUICK = {
  NODE_OPTIONS: [process.env.NODE_OPTIONS, ...PRELOADED.map((url) => `--import=${url}`)].join(' '),
};

/** Names the data folder that all servers of a run start from; the workers have the environment of the run. */
const TEMPLATE = 'E2E_DATA_TEMPLATE';

/** Has a server create its database, and stops it. Returns what removes the folder. */
export async function makeTemplate(): Promise<() => Promise<void>> {
  const server = await startNewInstallation();
  await server.stop();
  process.env[TEMPLATE] = server.dataDir;
  return server.remove;
}

/** Starts a server without a database, which it creates. */
export function startNewInstallation(): Promise<StartedServer> {
  return startServer(QUICK);
}

/** Starts a server that nobody but its owner has used. */
export function startUnused(settings: Record<string, string> = {}): Promise<StartedServer> {
  return startServer({ ...QUICK, ...settings }, process.env[TEMPLATE]);
}
