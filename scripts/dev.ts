import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'vite';
import { exitCodeOf, onEndingSignal, spawnNode } from './run/children.ts';
import { freePort } from './run/free-port.ts';
import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

const READY_WITHIN_MS = 20_000;
const ASK_EVERY_MS = 100;

process.chdir(ROOT);
loadRootEnvFile();

// The page comes from Vite at the usual address, which passes calls on to the server behind it.
const pagePort = Number(process.env.PORT ?? 3000);
const apiPort = await freePort();
process.env.API_PORT = String(apiPort);
const address = `http://localhost:${pagePort}`;

/** Waits for the server, so that the first page finds it; a server that does not start says why itself. */
async function waitForApi(): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline && api.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${apiPort}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await sleep(ASK_EVERY_MS);
  }
}

const api = spawnNode(['--watch', '--watch-preserve-output', join('api', 'server.ts')], {
  env: { ...process.env, HOST: '127.0.0.1', PORT: String(apiPort), PUBLIC_URL: address },
});
const ended = exitCodeOf(api);
onEndingSignal((signal) => api.kill(signal));

await waitForApi();
const vite = await createServer({
  configFile: join(ROOT, 'vite.config.ts'),
  server: { port: pagePort, strictPort: true },
});
await vite.listen();
console.log(`\n  ${address}  (the page reloads itself, the server restarts itself)\n`);

const code = await ended;
await vite.close();
process.exit(code);
