import { readdir, readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import type { Job } from '#shared/admin/schema.ts';
import { residentBytes } from './load/measurements.ts';
import { makePhoto } from './load/photo.ts';
import { quantile } from './load/quantiles.ts';
import { type Server, withServer } from './owner-server.ts';

/**
 * Measures the administrators' jobs: 500 sample polls twice (only the first job encodes illustrations), a bulk upload of 100
 * photos of 12 megapixels, and a repair of all images, on the real server with the embedded database and then with PostgreSQL,
 * while requesting /api/health all the time.
 * Prints a table; memory on Linux only. With PHOTOS_FOLDER=<folder> the first 100 files of that folder are uploaded instead of
 * generated photos, repeatedly if there are fewer; the server must accept each of them.
 */

const SAMPLES = 500;
const PHOTOS = 100;
const WARM_UP_REQUESTS = 50;
const HEALTH_INTERVAL_MS = 10;
const MEMORY_INTERVAL_MS = 50;
const MEBIBYTE = 1024 * 1024;
const { PHOTOS_FOLDER = '' } = process.env;

type Figures = { seconds: number; healthP99Ms: number; healthMaxMs: number; addedMiB: number };

const agent = new Agent({ keepAlive: true });

function requestHealth(address: string): Promise<number> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    get(`${address}/api/health`, { agent }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - startMs));
    }).once('error', reject);
  });
}

/** Starts a job and waits until it is done, while measuring health latencies and memory. */
async function measureJob(server: Server, path: string, init: RequestInit): Promise<Figures> {
  const { address, cookie, pid } = server;
  for (let request = 0; request < WARM_UP_REQUESTS; request += 1) await requestHealth(address);
  const sampling = new AbortController();
  const latenciesMs: number[] = [];
  const beforeBytes = await residentBytes(pid);
  let peakBytes = beforeBytes;
  const samplers = [
    repeat(sampling.signal, HEALTH_INTERVAL_MS, async () => latenciesMs.push(await requestHealth(address))),
    repeat(sampling.signal, MEMORY_INTERVAL_MS, async () => {
      peakBytes = Math.max(peakBytes, await residentBytes(pid));
    }),
  ];
  const startMs = performance.now();
  const response = await fetch(address + path, {
    ...init,
    method: 'POST',
    headers: { Cookie: cookie, Prefer: 'respond-async', ...init.headers },
  });
  if (response.status !== 202) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const { jobId } = (await response.json()) as { jobId: string };
  await waitForJob(server, jobId);
  const seconds = (performance.now() - startMs) / 1_000;
  sampling.abort();
  await Promise.all(samplers);
  return {
    seconds,
    healthP99Ms: quantile(latenciesMs, 0.99),
    healthMaxMs: Math.max(...latenciesMs),
    addedMiB: (peakBytes - beforeBytes) / MEBIBYTE,
  };
}

async function repeat(signal: AbortSignal, everyMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(everyMs);
  }
}

async function waitForJob({ address, cookie }: Server, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${address}/api/admin/jobs/${id}`, { headers: { Cookie: cookie } });
    const job = (await response.json()) as Job;
    if (job.state === 'done') return;
    if (job.state === 'failed' || job.state === 'stopped') throw new Error(`${job.kind}: ${job.message}`);
    await sleep(100);
  }
}

function printRow(job: string, { seconds, healthP99Ms, healthMaxMs, addedMiB }: Figures): void {
  const cells = [seconds.toFixed(1), healthP99Ms.toFixed(1), healthMaxMs.toFixed(1), addedMiB.toFixed(0)];
  console.log(`| ${job} | ${cells.join(' | ')} |`);
}

async function measureAll(database: string, url: string, photos: readonly Buffer<ArrayBuffer>[]) {
  const kind = PHOTOS_FOLDER === '' ? 'photos of 12 megapixels' : 'photos';
  await withServer(url, async (server) => {
    const body = JSON.stringify({ count: SAMPLES });
    const headers = { 'Content-Type': 'application/json' };
    const generation = { body, headers };
    printRow(
      `${database}: ${SAMPLES} sample polls, illustrations not yet encoded`,
      await measureJob(server, '/api/admin/generate-polls', generation),
    );
    printRow(
      `${database}: ${SAMPLES} more, illustrations encoded`,
      await measureJob(server, '/api/admin/generate-polls', generation),
    );
    const form = new FormData();
    for (const [index, photo] of photos.entries()) form.append('images', new Blob([photo]), `${index}.jpg`);
    printRow(
      `${database}: bulk upload of ${photos.length} ${kind}`,
      await measureJob(server, '/api/admin/bulk-upload', { body: form }),
    );
    printRow(`${database}: repair of all images`, await measureJob(server, '/api/admin/repair-images', {}));
  });
}

/** The files of a folder, ordered by name. */
async function readPhotos(folder: string): Promise<Buffer<ArrayBuffer>[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (names.length === 0) throw new Error(`${folder} has no files.`);
  return Promise.all(names.sort().map((name) => readFile(join(folder, name))));
}

const distinctPhotos =
  PHOTOS_FOLDER === '' ? await Promise.all([0, 1, 2, 3].map(makePhoto)) : await readPhotos(PHOTOS_FOLDER);
const photos = Array.from(
  { length: PHOTOS },
  (_, index) => distinctPhotos[index % distinctPhotos.length] ?? Buffer.alloc(0),
);
const sizes = distinctPhotos.map(({ length }) => (length / MEBIBYTE).toFixed(1)).join(', ');
console.log(
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}; photos of ${sizes} MiB\n`,
);
console.log(
  '| Job | time, s | health, p99, ms | health, longest, ms | additional memory, MiB |\n|---|--:|--:|--:|--:|',
);
await measureAll('embedded', '', photos);
const postgres = await startPostgres();
try {
  await measureAll('PostgreSQL', postgres.url, photos);
} finally {
  await postgres.stop();
}
agent.destroy();
