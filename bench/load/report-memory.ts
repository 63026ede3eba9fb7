import { appendFileSync } from 'node:fs';

// Loaded into a server with --import: writes its memory to the file MEMORY_LOG as lines of JSON, every MEMORY_EVERY_MS.

/** In bytes. `heap` is what is in use of the JavaScript heap. */
export type MemorySample = { rss: number; heap: number };

const { MEMORY_LOG = '', MEMORY_EVERY_MS } = process.env;

setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  appendFileSync(MEMORY_LOG, `${JSON.stringify({ rss, heap: heapUsed } satisfies MemorySample)}\n`);
}, Number(MEMORY_EVERY_MS)).unref();
