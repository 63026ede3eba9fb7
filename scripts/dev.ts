import { join } from 'node:path';
import { createServer } from 'vite';
import { exitCodeOf, onEndingSignal, spawnNode } from './run/children.ts';
import { freePort } from './run/free-port.ts';
import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

process.chdir(ROOT);
loadRootEnvFile();

// The page comes from Vite at the usual address, which passes calls on to the server behind it.
const pagePort = Number(process.env.PORT ?? 3000);
const apiPort = await freePort();
process.env.API_PORT = String(apiPort);

const vite = await createServer({
  configFile: join(ROOT, 'vite.config.ts'),
  server: { port: pagePort, strictPort: true },
});
await vite.listen();
const address = `http://localhost:${pagePort}`;

const api = spawnNode(['--watch', '--watch-preserve-output', join('api', 'server.ts')], {
  env: { ...process.env, PORT: String(apiPort), PUBLIC_URL: address },
});
console.log(`\n  ${address}  (the page reloads itself, the server restarts itself)\n`);

onEndingSignal((signal) => api.kill(signal));
const code = await exitCodeOf(api);
await vite.close();
process.exit(code);
