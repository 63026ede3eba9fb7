import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#api/testing/servers/free-port.ts';
import { ensureBuild, exitCodeOf } from '#scripts/run/children.ts';
import { DIST_APP } from '#scripts/run/root.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { median } from './load/quantiles.ts';
import { ensureTools } from './load/tools.ts';
import { load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

const CONNECTIONS = 64;
const TARGET = 0.5;

/** Starts nginx with one worker per core, serving the files in `root`; its configuration and state are in `folder`. */
async function startNginx(folder: string, root: string): Promise<{ address: string; stop(): Promise<void> }> {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  await writeFile(
    join(folder, 'nginx.conf'),
    `worker_processes auto; daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; ${temporary}
      server { listen 127.0.0.1:${port}; root ${root}; default_type text/javascript; }
    }`,
  );
  const child: ChildProcess = spawn('nginx', ['-c', join(folder, 'nginx.conf')], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: 'ignore',
  });
  const exited = exitCodeOf(child);
  const address = `http://127.0.0.1:${port}`;
  const isUp = () => fetch(address).catch(() => null);
  while ((await isUp()) === null) {
    if (child.exitCode !== null)
      throw new Error(`nginx exited with ${child.exitCode}: see ${folder}/error.log`);
    await sleep(50);
  }
  const stop = async () => {
    child.kill('SIGQUIT');
    await exited;
  };
  return { address, stop };
}

/** Measures requests for the main script, which is compressed by the build, against nginx with the same bytes. */
export async function benchStatic({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk', 'nginx');
  await ensureBuild();
  const page = await readFile(join(DIST_APP, 'index.html'), 'utf8');
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('index.html has no script');
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  const nginx = await startNginx(folder, DIST_APP);
  try {
    return await withServer('', async ({ address }) => {
      const headers = { 'Accept-Encoding': 'br' };
      const read = (url: string) => async () => {
        return (await load({ url, connections: CONNECTIONS, seconds, headers })).perSecond;
      };
      const tasks = { nginx: read(`${nginx.address}${script}.br`), app: read(`${address}${script}`) };
      const results = await measureInTurns(tasks, rounds);
      const [reference, rate] = [median(results.nginx), median(results.app)];
      return [
        {
          metric: 'main script ÷ nginx with the same bytes',
          value: `${rate.toFixed(0)} of ${reference.toFixed(0)}/s`,
          comparedValue: rate / reference,
          target: { min: TARGET },
        },
      ];
    });
  } finally {
    await nginx.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
