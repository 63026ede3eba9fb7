import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './run/children.ts';
import { enterProject } from './run/enter-project.ts';

const PROGRESS_INTERVAL_MS = 10_000;

/** Prints to stderr, since stdout is for the server's log. */
function printProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Builds the app unless the last build is current, and prints the progress. */
async function buildIfNeeded(): Promise<void> {
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  let timer: NodeJS.Timeout | undefined;
  try {
    await ensureBuild(() => {
      printProgress(
        'Building the app, only at the first start and after changes: about 10 seconds, or minutes on a busy machine …',
      );
      timer = setInterval(() => printProgress(`Still building after ${seconds()} s …`), PROGRESS_INTERVAL_MS);
    });
    if (timer !== undefined) printProgress(`The app is built (${seconds()} s).`);
  } finally {
    clearInterval(timer);
  }
}

enterProject();
try {
  await buildIfNeeded();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const { DATABASE_URL, DATA_DIR } = process.env;
const database = join(DATA_DIR || 'data', 'db');
const isNew = !DATABASE_URL && !existsSync(database);
printProgress(
  isNew
    ? `Creating the database in ${database}, only at the first start: about 20 seconds …`
    : 'Starting the server …',
);
// In the same process, so that the server receives signals directly and no child process can outlive this script.
await import('#api/server.ts');
