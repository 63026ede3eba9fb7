import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'vite';
import { freePort } from '#api/testing/servers/free-port.ts';
import { endWithProcess, exitCodeOf, hasExited, onTerminationSignal, spawnNode } from './run/children.ts';
import { enterProject } from './run/enter-project.ts';
import { ROOT } from './run/root.ts';

const READY_TIMEOUT_MS = 20_000;
const HEALTH_CHECK_INTERVAL_MS = 100;

enterProject();

// Vite serves the pages at the usual address and proxies API requests to the server.
const vitePort = Number(process.env.PORT ?? 3000);
const apiPort = await freePort();
process.env.API_PORT = String(apiPort);
const address = `http://localhost:${vitePort}`;

/** Waits until the server responds, so that the first page can call it. A server that does not start prints the reason itself. */
async function waitForApi(): Promise<void> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadlineMs && !hasExited(api)) {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/health`).catch(() => null);
    if (response?.ok) return;
    await sleep(HEALTH_CHECK_INTERVAL_MS);
  }
}

const api = spawnNode(['--watch', '--watch-preserve-output', join('api', 'server.ts')], {
  env: { ...process.env, HOST: '127.0.0.1', PORT: String(apiPort), PUBLIC_URL: address },
});
// If Vite's port is in use, this script fails.
endWithProcess(api);
const exitCode = exitCodeOf(api);
onTerminationSignal((signal) => api.kill(signal));

await waitForApi();
const vite = await createServer({
  configFile: join(ROOT, 'vite.config.ts'),
  server: { port: vitePort, strictPort: true },
});
await vite.listen();
console.log(`\n  ${address}  (the page reloads and the server restarts on changes)\n`);

const code = await exitCode;
await vite.close();
process.exit(code);
