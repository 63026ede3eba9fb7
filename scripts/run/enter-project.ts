import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/** Changes to the project's folder and loads its `.env`; variables that are already set take precedence. */
export function enterProject(): void {
  process.chdir(ROOT);
  const path = join(ROOT, '.env');
  if (existsSync(path)) process.loadEnvFile(path);
}
