import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A tenth of a second of a server: its memory in bytes, the maximum of concurrent image decodes, and the CPU times of the main
 * thread between the ticks of a timer of 4 ms, each of which spans one or more iterations of the event loop. Unlike the duration
 * of a request, CPU time does not depend on other processes.
 */
export type Sample = { rss: number; iterationsMs: number[]; decoding: number };

const fileIn = (dataDir: string) => join(dataDir, 'measured.log');

/** Environment variables with which a server writes samples. */
export function samplingEnv(dataDir: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${import.meta.resolve('./write-samples.ts')}`,
    SAMPLES_FILE: fileIn(dataDir),
  };
}

export async function readSamples(dataDir: string): Promise<Sample[]> {
  const lines = (await readFile(fileIn(dataDir), 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
