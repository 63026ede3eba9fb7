import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import sharp from 'sharp';
import type { Sample } from './samples.ts';

// Loaded into a server with --import: writes what it measures of itself to the file SAMPLES_FILE as lines of JSON.

const WRITE_EVERY_MS = 100;
const LOOK_EVERY_MS = 4;
const MICROSECONDS_A_MS = 1_000;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_A_MS;
}

if (isMainThread) {
  let decoding = 0;
  let turnsMs: number[] = [];
  let before = cpuMs();
  setInterval(() => {
    decoding = Math.max(decoding, sharp.counters().process);
    const now = cpuMs();
    turnsMs.push(Math.round(now - before));
    before = now;
  }, LOOK_EVERY_MS).unref();
  setInterval(() => {
    const sample: Sample = { rss: process.memoryUsage.rss(), turnsMs, decoding };
    appendFileSync(process.env.SAMPLES_FILE ?? '', `${JSON.stringify(sample)}\n`);
    decoding = 0;
    turnsMs = [];
  }, WRITE_EVERY_MS).unref();
}
