import { ensureBuild } from './run/children.ts';
import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

process.chdir(ROOT);
loadRootEnvFile();
try {
  await ensureBuild();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
// In this very process: signals reach the server, and nothing outlives it.
await import('#api/server.ts');
