import { appendFileSync } from 'node:fs';

// Loaded into a server process with --import. Appends its memory usage as a line of JSON to the file MEMORY_LOG, every
// MEMORY_EVERY_MS milliseconds.

/** Bytes. `heap` is the used part of the JavaScript heap. */
export type MemorySample = { rss: number; heap: number };

const { MEMORY_LOG = '', MEMORY_EVERY_MS } = process.env;

setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  appendFileSync(MEMORY_LOG, `${JSON.stringify({ rss, heap: heapUsed } satisfies MemorySample)}\n`);
}, Number(MEMORY_EVERY_MS)).unref();
