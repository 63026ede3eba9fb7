import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3mini } from 's3mini';
import { freePort } from '#api/testing/servers/free-port.ts';

/** The Debian packages of OpenStack Swift, whose proxy implements S3's API. */
export const SWIFT_PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];

const BUCKET = 'polls';
const REGION = 'eu-test-1';
const READY_TIMEOUT_MS = 30_000;
const RINGS = ['account', 'container', 'object'] as const;
const FILTERS: Readonly<Record<string, string>> = {
  catch_errors: '',
  // No memcached listens on this port; Swift works without one.
  cache: 'memcache_servers = 127.0.0.1:9',
  listing_formats: '',
  s3api: `location = ${REGION}`,
  tempauth: 'user_test_tester = testing .admin',
  copy: '',
  slo: '',
  dlo: '',
};

export type RunningSwift = {
  /** The values of the server's variables S3_…. */
  settings: Record<'endpoint' | 'bucket' | 'region' | 'accessKeyId' | 'secretAccessKey', string>;
  stop(): Promise<void>;
};

/** Starts Swift with one bucket, in a temporary folder. Throws an error if it is not ready in time. */
export async function startSwift(): Promise<RunningSwift> {
  const folder = await mkdtemp(join(tmpdir(), 'tot-swift-'));
  const children: ChildProcess[] = [];
  const stop = async () => {
    for (const child of children) child.kill();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async (kind: (typeof RINGS)[number] | 'proxy', port: number, rest: string) => {
    const head = [
      '[DEFAULT]',
      'bind_ip = 127.0.0.1',
      `bind_port = ${port}`,
      'workers = 0',
      `user = ${userInfo().username}`,
      `swift_dir = ${folder}`,
      `devices = ${folder}`,
      'mount_check = false',
      'log_level = WARNING',
    ];
    const path = join(folder, `${kind}.conf`);
    await writeFile(path, `${head.join('\n')}\n${rest}`);
    children.push(spawn(`swift-${kind}-server`, [path], { cwd: folder, stdio: 'ignore' }));
  };

  try {
    await mkdir(join(folder, 'disk'));
    for (const kind of RINGS) {
      const port = await freePort();
      const ring = (...args: string[]) =>
        execFileSync('swift-ring-builder', [`${kind}.builder`, ...args], { cwd: folder });
      ring('create', '4', '1', '0');
      ring('add', `r1z1-127.0.0.1:${port}/disk`, '1');
      ring('rebalance');
      const app = `[app:${kind}-server]\nuse = egg:swift#${kind}\n`;
      await start(kind, port, `[pipeline:main]\npipeline = ${kind}-server\n${app}`);
    }
    const port = await freePort();
    const filters = Object.entries(FILTERS).map(
      ([name, option]) =>
        `[filter:${name}]\nuse = egg:swift#${name === 'cache' ? 'memcache' : name}\n${option}\n`,
    );
    const app = '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n';
    const pipeline = `${Object.keys(FILTERS).join(' ')} proxy-server`;
    await start('proxy', port, `[pipeline:main]\npipeline = ${pipeline}\n${app}${filters.join('')}`);
    const settings = {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: BUCKET,
      region: REGION,
      accessKeyId: 'test:tester',
      secretAccessKey: 'testing',
    };
    await createBucket(settings);
    return { settings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createBucket({ endpoint, bucket, ...access }: RunningSwift['settings']): Promise<void> {
  const client = new S3mini({ ...access, endpoint: `${endpoint}/${bucket}` });
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const isCreated = await client.createBucket().catch(() => false);
    if (isCreated) return;
    if (performance.now() > deadlineMs) throw new Error('Swift did not become ready');
    await sleep(200);
  }
}
