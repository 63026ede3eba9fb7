import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { ROOT } from './run/root.ts';

/**
 * Writes the fixtures of a release to `e2e/faults/releases/<version>/`: `engine.js`, this commit's sync engine in one file;
 * `database.json`, a device's databases as written by that engine; and `openapi.json`, the server's API. Later versions are
 * tested against all of them. The version is the first argument, or by default the one in package.json.
 * Fails if the release has fixtures already, since these never change.
 */

const ENTRY = 'virtual:release-engine';

/** The exports that the tests use. */
const ENTRY_SOURCE = `
  export { createEngine } from ${JSON.stringify(join(ROOT, 'sync/client/engine.ts'))};
  export { fetchTransport } from ${JSON.stringify(join(ROOT, 'sync/client/device/transport.ts'))};
`;

const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const folder = join(ROOT, 'e2e', 'faults', 'releases', process.argv[2] ?? version);
mkdirSync(folder);
process.once('exit', (code) => {
  if (code !== 0) rmSync(folder, { recursive: true });
});

await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    {
      name: 'release-entry',
      resolveId: (id) => (id === ENTRY ? ENTRY : null),
      load: (id) => (id === ENTRY ? ENTRY_SOURCE : null),
    },
  ],
  build: {
    outDir: folder,
    emptyOutDir: false,
    minify: false,
    target: 'es2023',
    rolldownOptions: {
      input: { engine: ENTRY },
      preserveEntrySignatures: 'strict',
      // Dexie replaces the global Promise in transactions, so a process can have only one copy of it.
      external: ['dexie'],
      output: { format: 'es', entryFileNames: 'engine.js' },
    },
  },
});

const recorder = join(ROOT, 'e2e', 'faults', 'record-database.ts');
const { status } = spawnSync(process.execPath, [recorder, folder], { stdio: 'inherit' });
process.exitCode = status ?? 1;
