import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installIfRequested } from './run/install-packages.ts';
import { ROOT } from './run/root.ts';

/**
 * Checks some files of `deploy/`: the systemd units and the configuration of nginx, Caddy and Prometheus (with its alerts) with
 * the programs that read them, and the shell script with ShellCheck. `--install` first installs missing programs, as root. Exits
 * with 1 if a program rejects a file or is missing.
 */

/** The Debian package of each program. */
const PACKAGES = {
  'systemd-analyze': 'systemd',
  nginx: 'nginx-light',
  openssl: 'openssl',
  caddy: 'caddy',
  promtool: 'prometheus',
  shellcheck: 'shellcheck',
} as const;
type Program = keyof typeof PACKAGES;

const env = {
  ...process.env,
  // nginx is in /usr/sbin, which only root has in its PATH.
  PATH: `${process.env.PATH}:/usr/sbin`,
  PUBLIC_URL: 'https://polls.example.org',
};
const folder = mkdtempSync(join(tmpdir(), 'this-or-that-deploy-'));
const inFolder = (name: string) => join(folder, name);

/** Rewrites the copy of a file of `deploy/` for this machine. */
function adapt(name: string, change: (text: string) => string): void {
  writeFileSync(inFolder(name), change(readFileSync(inFolder(name), 'utf8')));
}

function isInstalled(name: string): boolean {
  return spawnSync(name, ['--help'], { env, stdio: 'ignore' }).error === undefined;
}

function check(program: Program, ...args: string[]): boolean {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  // `systemd-analyze verify` only warns about unknown settings.
  const passed = status === 0 && !(program === 'systemd-analyze' && stderr !== '');
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${program} ${args.join(' ')}`);
  if (!passed) console.log(`${stdout}${stderr}`);
  return passed;
}

function checkAll(): boolean[] {
  cpSync(join(ROOT, 'deploy'), folder, { recursive: true });
  const units = globSync('*.{service,timer}', { cwd: folder });
  for (const unit of units) adapt(unit, (text) => text.replaceAll('/opt/this-or-that', ROOT));

  // `nginx -t` opens the ports, and only root may open those below 1024.
  adapt('nginx.conf', (text) =>
    text
      .replaceAll('/etc/ssl/this-or-that', folder)
      .replaceAll('/var/log/nginx', folder)
      .replaceAll(/(listen (?:\[::\]:)?)(80|443)/g, (_, listen, port) => listen + (Number(port) + 8_000)),
  );
  writeFileSync(
    inFolder('main.conf'),
    `pid ${inFolder('nginx.pid')}; events {} http { access_log off; include ${inFolder('nginx.conf')}; }`,
  );
  const certificate = ['-subj', '/CN=polls.example.org', '-keyout', 'key.pem', '-out', 'certificate.pem'];
  writeFileSync(inFolder('metrics-token'), 'at-least-16-characters');

  return [
    check('systemd-analyze', 'verify', '--man=no', ...units),
    check('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate),
    check('nginx', '-t', '-q', '-e', 'stderr', '-c', inFolder('main.conf')),
    check('caddy', 'validate', '--adapter', 'caddyfile', '--config', 'Caddyfile'),
    check('promtool', 'check', 'config', '--lint=all', '--lint-fatal', 'prometheus.yaml'),
    check('shellcheck', ...globSync('*.sh', { cwd: folder })),
  ];
}

const missingPackages = () =>
  Object.entries(PACKAGES).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));

installIfRequested(missingPackages());
if (missingPackages().length > 0) {
  console.log(`Missing programs: apt-get install ${missingPackages().join(' ')}`);
  process.exitCode = 1;
} else {
  process.exitCode = checkAll().every(Boolean) ? 0 : 1;
}
rmSync(folder, { recursive: true });
