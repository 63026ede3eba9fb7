import { spawnSync } from 'node:child_process';

/** Installs Debian packages, if the command was called with `--install` and by root. */
export function installIfRequested(packages: readonly string[]): void {
  if (packages.length === 0 || !process.argv.includes('--install') || process.getuid?.() !== 0) return;
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'inherit' });
}
