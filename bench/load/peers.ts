import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', 'peers');

/** The folder of a package of bench/peers/, which is installed when one is missing: nothing else in the project needs them. */
export function peerFolder(name: 'lighthouse'): string {
  const folder = join(FOLDER, 'node_modules', name);
  if (!existsSync(folder))
    execFileSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  return folder;
}
