import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import sharp from 'sharp';
import type { Sample } from './samples.ts';

// Loaded into a server with --import: measures the process and appends samples to SAMPLES_FILE as lines of JSON.

const WRITE_EVERY_MS = 100;
const MEASURE_EVERY_MS = 4;
const MICROSECONDS_PER_MS = 1_000;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
}

if (isMainThread) {
  let decoding = 0;
  let iterationsMs: number[] = [];
  let before = cpuMs();
  setInterval(() => {
    decoding = Math.max(decoding, sharp.counters().process);
    const now = cpuMs();
    iterationsMs.push(Math.round(now - before));
    before = now;
  }, MEASURE_EVERY_MS).unref();
  setInterval(() => {
    const sample: Sample = { rss: process.memoryUsage.rss(), iterationsMs, decoding };
    appendFileSync(process.env.SAMPLES_FILE ?? '', `${JSON.stringify(sample)}\n`);
    decoding = 0;
    iterationsMs = [];
  }, WRITE_EVERY_MS).unref();
}
