import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvFile } from 'node:process';
import { ROOT } from './root.ts';

/** Takes the settings of `.env` at the root; what the environment says already wins. */
export function loadRootEnvFile(): void {
  const path = join(ROOT, '.env');
  if (existsSync(path)) loadEnvFile(path);
}
