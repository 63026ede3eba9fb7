import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { findProgram, pathFolders } from '#scripts/browser/find-program.ts';

/** The Debian package of each program. */
const PACKAGES = { wrk: 'wrk', pgbench: 'postgresql-contrib', nginx: 'nginx-light' } as const;

/** Installs missing programs from Debian, as root; otherwise throws an error with the command to install them. */
export function ensureTools(...programs: (keyof typeof PACKAGES)[]): void {
  const missing = programs.filter((program) => !isInstalled(program)).map((program) => PACKAGES[program]);
  if (missing.length === 0) return;
  const command = `apt-get install --yes --no-install-recommends ${missing.join(' ')}`;
  if (userInfo().uid !== 0) throw new Error(`Missing programs. Run as root: ${command}`);
  execFileSync('sh', ['-c', `apt-get update && ${command}`], { stdio: 'inherit' });
}

const isInstalled = (program: string) =>
  findProgram([program], [...pathFolders(), '/usr/sbin']) !== undefined;
