import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3mini } from 's3mini';
import { freePort } from '#api/testing/servers/free-port.ts';
import { findProgram } from '#scripts/browser/find-program.ts';
import { exitCodeOf, onTerminationSignal } from '#scripts/run/children.ts';

/** The Debian packages of OpenStack Swift, whose proxy implements S3's API. */
export const SWIFT_PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];

const BUCKET = 'polls';
const REGION = 'eu-test-1';
const READY_TIMEOUT_MS = 30_000;
const READY_CHECK_INTERVAL_MS = 200;
const RINGS = ['account', 'container', 'object'] as const;
/** The filters of the proxy, in the order of its pipeline. */
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

type RunningSwift = {
  /** The settings with which our server would use this Swift. */
  settings: Record<'endpoint' | 'bucket' | 'region' | 'accessKeyId' | 'secretAccessKey', string>;
  stop(): Promise<void>;
};

export function isSwiftInstalled(): boolean {
  const programs = ['swift-ring-builder', ...['proxy', ...RINGS].map((kind) => `swift-${kind}-server`)];
  return programs.every((program) => findProgram([program]) !== undefined);
}

/** Starts Swift with one bucket, in a temporary folder. Throws an error if a server ends, or Swift is not ready in time. */
export async function startSwift(): Promise<RunningSwift> {
  const folder = await mkdtemp(join(tmpdir(), 'tot-swift-'));
  const kills: (() => void)[] = [];
  const ends: Promise<string>[] = [];
  const stop = async () => {
    for (const kill of kills) kill();
    await Promise.all(ends);
    await rm(folder, { recursive: true, force: true });
  };
  const stopListening = onTerminationSignal(() => stop().finally(() => process.exit(1)));
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
    const child = spawn(`swift-${kind}-server`, [path], { cwd: folder, stdio: 'ignore' });
    kills.push(() => child.kill());
    ends.push(exitCodeOf(child).then((code) => `The ${kind} server of Swift ended with ${code}`, String));
  };

  try {
    await mkdir(join(folder, 'disk'));
    for (const kind of RINGS) {
      const port = await freePort();
      const ring = (...args: string[]) =>
        execFileSync('swift-ring-builder', [`${kind}.builder`, ...args], { cwd: folder });
      // 2^4 partitions, one replica, no minimum hours between moves.
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
    const failures = ends.map(async (end) => Promise.reject(new Error(await end)));
    await Promise.race([createBucket(settings), ...failures]);
    return { settings, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    stopListening();
  }
}

async function createBucket({ endpoint, bucket, ...access }: RunningSwift['settings']): Promise<void> {
  const client = new S3mini({ ...access, endpoint: `${endpoint}/${bucket}` });
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const isCreated = await client.createBucket().catch(() => false);
    if (isCreated) return;
    if (performance.now() > deadlineMs) throw new Error('Swift did not become ready');
    await sleep(READY_CHECK_INTERVAL_MS);
  }
}
