import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#api/testing/servers/free-port.ts';
import { ROOT } from '#scripts/run/root.ts';
import { giveToPrograms, type Program, startProgram } from './programs.ts';
import { isListening, until } from './waiting.ts';

const RELOADED_AFTER_MS = 500;
const TEMPORARY_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The site of deploy/nginx.conf with the processes at `apiPorts` as upstream servers, without a log, and without TLS and the redirect to it. */
function siteOf(port: number, apiPorts: readonly number[]): string {
  const deployed = readFileSync(join(ROOT, 'deploy', 'nginx.conf'), 'utf8');
  return deployed
    .replace(/server 127\.0\.0\.1:3000 (.+)/, (_, options) =>
      apiPorts.map((api) => `server 127.0.0.1:${api} ${options}`).join('\n'),
    )
    .replace(/^server \{\n {4}listen 80;[^}]+\}$/m, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ {4}(?:listen \[::\]|ssl_|access_log ).+$/gm, '');
}

function configurationOf(port: number, apiPorts: readonly number[], folder: string): string {
  const tempPaths = TEMPORARY_FOLDERS.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  return `worker_processes 1;
daemon off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 4096; }
http {
  access_log off;
  ${tempPaths}
  ${siteOf(port, apiPorts)}
}
`;
}

/** nginx in front of several server processes. */
export class Nginx {
  readonly #folder: string;
  readonly #port: number;
  #program: Program | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(folder: string, apiPorts: readonly number[]): Promise<Nginx> {
    const nginx = new Nginx(folder, await freePort());
    await nginx.#configure(apiPorts);
    const program = startProgram('nginx', ['-e', 'stderr', '-c', nginx.#file], folder);
    nginx.#program = program;
    await until(
      () => isListening(nginx.#port),
      () => `nginx does not listen:\n${program.output()}`,
    );
    return nginx;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get #file(): string {
    return join(this.#folder, 'nginx.conf');
  }

  async #configure(apiPorts: readonly number[]): Promise<void> {
    await writeFile(this.#file, configurationOf(this.#port, apiPorts, this.#folder));
    await giveToPrograms(this.#file);
  }

  /** Sets the processes to balance between. */
  async balance(apiPorts: readonly number[]): Promise<void> {
    await this.#configure(apiPorts);
    this.#program?.child.kill('SIGHUP');
    await sleep(RELOADED_AFTER_MS);
  }

  async stop(): Promise<void> {
    await this.#program?.end('SIGTERM');
  }
}
