import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { ROOT } from './run/root.ts';

/**
 * Writes the fixtures of a release to `e2e/faults/releases/<version>/`: `engine.js`, the sync engine of this commit in
 * one file, `database.json`, a device's databases as that engine left them, and `openapi.json`, the calls and answers of
 * its server. Later versions are tested against all of them. The version is the first argument, or the one in package.json.
 */

const ENTRY = 'virtual:release-engine';

/** What the tests use of an engine. */
const ENTRY_SOURCE = `
  export { createEngine } from ${JSON.stringify(join(ROOT, 'sync/client/engine.ts'))};
  export { fetchTransport } from ${JSON.stringify(join(ROOT, 'sync/client/device/transport.ts'))};
`;

const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const folder = join(ROOT, 'e2e', 'faults', 'releases', process.argv[2] ?? version);
mkdirSync(folder, { recursive: true });

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
      // Two copies of Dexie in one process would share the global Promise that it replaces in transactions.
      external: ['dexie'],
      output: { format: 'es', entryFileNames: 'engine.js' },
    },
  },
});

const recorder = join(ROOT, 'e2e', 'faults', 'record-database.ts');
const { status } = spawnSync(process.execPath, [recorder, folder], { stdio: 'inherit' });
process.exitCode = status ?? 1;
