import { PRIVATE_UMASK } from './data-folders.ts';
import { readEnv } from './env.ts';
import { explainStartError } from './start-error.ts';
import { type RunningServer, startServer } from './start-server.ts';

/**
 * Less than the 20 seconds after which systemd or Docker kills the process (`deploy/`, `compose.yaml`). More than the timeouts of
 * a stop together: 1 + 7 s for requests, 2 s for queries, and 2 s for the embedded database. Only a running backup, or a replica
 * that does not respond either, takes longer.
 */
const EXIT_DEADLINE_MS = 14_000;
/** Within this time a second signal is ignored: one to the process group of `npm start` arrives twice, because npm passes it on. */
const REPEATED_SIGNAL_MS = 1_000;

process.umask(PRIVATE_UMASK);
try {
  stopOnSignal(await startServer(readEnv()));
} catch (error) {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
}

/** The first signal stops the server gracefully, a later one at once. */
function stopOnSignal(server: RunningServer): void {
  let stoppingSinceMs: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingSinceMs !== null) {
        if (performance.now() - stoppingSinceMs > REPEATED_SIGNAL_MS) process.exit(1);
        return;
      }
      stoppingSinceMs = performance.now();
      setTimeout(
        () => fail(`The server has not stopped within ${EXIT_DEADLINE_MS} ms`),
        EXIT_DEADLINE_MS,
      ).unref();
      server.stop().then(() => process.exit(0), fail);
    });
  }
}

function fail(reason: unknown): never {
  process.stderr.write(`${reason instanceof Error ? reason.stack : reason}\n`);
  process.exit(1);
}
