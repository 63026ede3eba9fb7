import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#api/testing/servers/free-port.ts';
import { ensureBuild } from '#scripts/run/children.ts';
import { DIST_APP } from '#scripts/run/root.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { median } from './load/quantiles.ts';
import { withListener } from './load/reference-servers.ts';
import { withFolder } from './load/temporary-folder.ts';
import { ensureTools } from './load/tools.ts';
import { load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

const CONNECTIONS = 64;
const TARGET = 0.5;

/** Runs nginx with one worker per core, serving the files in `root`, and passes its address to `work`. */
function withNginx<Result>(root: string, work: (address: string) => Promise<Result>): Promise<Result> {
  return withFolder(async (folder) => {
    const port = await freePort();
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join(' ');
    const configuration = join(folder, 'nginx.conf');
    await writeFile(
      configuration,
      `worker_processes auto; daemon off; pid ${join(folder, 'pid')}; error_log stderr;
      events { worker_connections 1024; }
      http {
        access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; ${temporary}
        server { listen 127.0.0.1:${port}; root ${root}; default_type text/javascript; }
      }`,
    );
    const env = { PATH: `${process.env.PATH}:/usr/sbin` };
    return withListener(['nginx', '-c', configuration], env, work, port);
  });
}

/** Measures requests for the main script, which is compressed by the build, against nginx with the same bytes. */
export async function benchStatic({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk', 'nginx');
  await ensureBuild();
  const page = await readFile(join(DIST_APP, 'index.html'), 'utf8');
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('index.html has no script');
  return withNginx(DIST_APP, (nginx) =>
    withServer('', async ({ address }) => {
      const headers = { 'Accept-Encoding': 'br' };
      const read = (url: string) => async () => {
        return (await load({ url, connections: CONNECTIONS, seconds, headers })).perSecond;
      };
      const tasks = { nginx: read(`${nginx}${script}.br`), app: read(`${address}${script}`) };
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
    }),
  );
}
