import { readdir, readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import type { Job } from '#shared/admin/schema.ts';
import { makePhoto } from './load/photo.ts';
import { type Server, withServer } from './owner-server.ts';

/**
 * 500 sample polls, and a bulk upload of a hundred photos of 12 megapixels, on the real server with the embedded
 * database and then with PostgreSQL. Beside them health is asked for all the time. Prints a table; memory on Linux only.
 * PHOTOS_FOLDER=<folder> uploads its files over and over in the place of the made photos; the server has to take each.
 */
const SAMPLES = 500;
const PHOTOS = 100;
const HEALTH_EVERY_MS = 10;
const MEMORY_EVERY_MS = 50;
const MEBIBYTE = 1024 * 1024;

type Figures = { seconds: number; health: { count: number; p99Ms: number; maxMs: number }; grownMiB: number };

const agent = new Agent({ keepAlive: true });

function askHealth(address: string): Promise<number> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    get(`${address}/api/health`, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(performance.now() - beganMs));
    }).once('error', reject);
  });
}

/** The memory that the process has in use, 0 where the system does not tell. */
async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Starts a job, waits for its end, and measures beside it. */
async function measureJob(server: Server, path: string, init: RequestInit): Promise<Figures> {
  const { address, cookie, pid } = server;
  for (let warm = 0; warm < 50; warm += 1) await askHealth(address);
  const ending = new AbortController();
  const waits: number[] = [];
  const before = await memoryMiB(pid);
  let peak = before;
  const watching = [
    repeat(ending.signal, HEALTH_EVERY_MS, async () => waits.push(await askHealth(address))),
    repeat(ending.signal, MEMORY_EVERY_MS, async () => {
      peak = Math.max(peak, await memoryMiB(pid));
    }),
  ];
  const beganMs = performance.now();
  const answer = await fetch(address + path, {
    ...init,
    method: 'POST',
    headers: { Cookie: cookie, Prefer: 'respond-async', ...init.headers },
  });
  if (answer.status !== 202) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const { jobId } = (await answer.json()) as { jobId: string };
  await waitForJob(server, jobId);
  const seconds = (performance.now() - beganMs) / 1_000;
  ending.abort();
  await Promise.all(watching);
  waits.sort((a, b) => a - b);
  const health = {
    count: waits.length,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
    maxMs: waits.at(-1) ?? 0,
  };
  return { seconds, health, grownMiB: peak - before };
}

async function repeat(signal: AbortSignal, everyMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(everyMs);
  }
}

async function waitForJob({ address, cookie }: Server, id: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${address}/api/admin/jobs/${id}`, { headers: { Cookie: cookie } });
    const job = (await answer.json()) as Job;
    if (job.state === 'done') return;
    if (job.state === 'failed' || job.state === 'stopped') throw new Error(`${job.kind}: ${job.message}`);
    await sleep(100);
  }
}

function print(what: string, { seconds, health, grownMiB }: Figures): void {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(
    `| ${what} | ${seconds.toFixed(1)} s | ${health.count} | ${ms(health.p99Ms)} | ${ms(health.maxMs)} | ${grownMiB.toFixed(0)} MiB |`,
  );
}

async function measureAll(database: string, url: string, photos: readonly Buffer<ArrayBuffer>[]) {
  await withServer(url, async (server) => {
    const body = JSON.stringify({ count: SAMPLES });
    const headers = { 'Content-Type': 'application/json' };
    const generation = { body, headers };
    print(
      `${database}: ${SAMPLES} sample polls`,
      await measureJob(server, '/api/admin/generate-polls', generation),
    );
    print(`${database}: the same again`, await measureJob(server, '/api/admin/generate-polls', generation));
    const form = new FormData();
    for (const [index, photo] of photos.entries()) form.append('images', new Blob([photo]), `${index}.jpg`);
    print(
      `${database}: ${photos.length} photos`,
      await measureJob(server, '/api/admin/bulk-upload', { body: form }),
    );
    print(`${database}: repair`, await measureJob(server, '/api/admin/repair-images', {}));
  });
}

/** The files of a folder in the order of their names. */
async function readPhotos(folder: string): Promise<Buffer<ArrayBuffer>[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (names.length === 0) throw new Error(`${folder} has no files.`);
  return Promise.all(names.sort().map((name) => readFile(join(folder, name))));
}

const folder = process.env.PHOTOS_FOLDER ?? '';
const different = folder === '' ? await Promise.all([0, 1, 2, 3].map(makePhoto)) : await readPhotos(folder);
const photos = Array.from(
  { length: PHOTOS },
  (_, index) => different[index % different.length] ?? Buffer.alloc(0),
);
const sizes = different.map(({ length }) => (length / MEBIBYTE).toFixed(1)).join(', ');
console.log(
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}; photos of ${sizes} MiB\n`,
);
console.log('| what | time | health asked | p99 | longest | memory grows by |\n|---|---|---|---|---|---|');
await measureAll('embedded', '', photos);
const postgres = await startPostgres();
try {
  await measureAll('PostgreSQL', postgres.url, photos);
} finally {
  await postgres.stop();
}
agent.destroy();
