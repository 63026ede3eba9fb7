import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvFile } from 'node:process';
import { ROOT } from './root.ts';

/** Loads `.env` at the root of the project; variables that are already set take precedence. */
export function loadRootEnvFile(): void {
  const path = join(ROOT, '.env');
  if (existsSync(path)) loadEnvFile(path);
}
