import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './run/children.ts';
import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

const REMIND_EVERY_MS = 10_000;

/** On stderr: stdout is for the server's log. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Tells how a build goes on, which is silent otherwise. */
async function buildIfNeeded(): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let reminder: NodeJS.Timeout | undefined;
  try {
    await ensureBuild(() => {
      tell('Building the app, once and after changes: about 10 seconds, or minutes on a busy machine …');
      reminder = setInterval(() => tell(`Still building after ${seconds()} s …`), REMIND_EVERY_MS);
    });
    if (reminder !== undefined) tell(`The app is built (${seconds()} s).`);
  } finally {
    clearInterval(reminder);
  }
}

process.chdir(ROOT);
loadRootEnvFile();
try {
  await buildIfNeeded();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const { DATABASE_URL, DATA_DIR } = process.env;
const database = join(DATA_DIR || 'data', 'db');
const isNew = !DATABASE_URL && !existsSync(database);
tell(isNew ? `Creating the database in ${database}, once: about 20 seconds …` : 'Starting the server …');
// In this very process: signals reach the server, and nothing outlives it.
await import('#api/server.ts');
