import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#scripts/run/free-port.ts';
import { giveToPrograms, type Program, startProgram } from './programs.ts';
import { isListening, until } from './waiting.ts';

const RELOADED_AFTER_MS = 500;
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** What nginx passes on, and when it tries another server. */
function configurationOf(port: number, apiPorts: readonly number[], folder: string): string {
  const servers = apiPorts
    .map((api) => `server 127.0.0.1:${api} max_fails=1 fail_timeout=1s;`)
    .join('\n    ');
  const temporary = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  return `worker_processes 1;
daemon off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary}
  upstream api {
    ${servers}
    keepalive 64;
    keepalive_timeout 4s; # the server closes an idle connection after 5 s
  }
  proxy_http_version 1.1;
  proxy_set_header Host $http_host;
  proxy_set_header Connection '';
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_connect_timeout 2s;
  proxy_read_timeout 130s;
  client_max_body_size 12m;
  server {
    listen 127.0.0.1:${port};
    location / {
      # A change with a key takes effect once, however often it is sent.
      error_page 418 = @keyed;
      if ($http_idempotency_key) { return 418; }
      proxy_pass http://api;
    }
    location @keyed {
      proxy_next_upstream error timeout non_idempotent;
      proxy_pass http://api;
    }
    location = /api/batch {
      proxy_next_upstream error timeout non_idempotent;
      proxy_pass http://api;
    }
    location = /ws {
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
      proxy_read_timeout 90s; # the server pings each socket within 30 s
      proxy_pass http://api;
    }
  }
}
`;
}

/** nginx before several API processes. */
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

  /** Balances between other processes from now on. */
  async balance(apiPorts: readonly number[]): Promise<void> {
    await this.#configure(apiPorts);
    this.#program?.child.kill('SIGHUP');
    await sleep(RELOADED_AFTER_MS);
  }

  async stop(): Promise<void> {
    await this.#program?.end('SIGTERM');
  }
}
