import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A tenth of a second of a server: its memory in bytes, how many images it decoded at once, and what the turns of its event
 * loop took of the processor. What other processes take is not in it, unlike in the time that a request takes.
 */
export type Sample = { rss: number; turnsMs: number[]; decoding: number };

const fileIn = (dataDir: string) => join(dataDir, 'measured.log');

/** Has a server write its samples. */
export function samplingEnv(dataDir: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${import.meta.resolve('./sample-server.ts')}`,
    SAMPLES_FILE: fileIn(dataDir),
  };
}

export async function readSamples(dataDir: string): Promise<Sample[]> {
  const lines = (await readFile(fileIn(dataDir), 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
