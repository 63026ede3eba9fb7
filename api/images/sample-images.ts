import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { writeDurably } from './durable-files.ts';
import type { ImagePipeline, ProcessedPicture } from './image-pipeline.ts';
import { fileNames, type ImageFiles } from './image-store.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

const factsSchema = z.object({ width: z.int(), height: z.int(), preview: z.string() });

/** An illustration as files, to be linked for each poll that shows it. Sizes and preview as in `ProcessedPicture`. */
export type SamplePicture = Omit<ProcessedPicture, 'large' | 'small'> & { files: ImageFiles };

export type SamplePictures = {
  /** The images of the SVG file at `svgPath`. Waits while the decoders are busy, until `signal` aborts. */
  get(svgPath: string, signal: AbortSignal): Promise<SamplePicture>;
};

/**
 * The illustrations of sample polls in `dataDir/samples`, each encoded when it is asked for the first time and written
 * in `incomingFolder` first. An SVG file that has changed is encoded into other files.
 */
export function createSamplePictures(
  dataDir: string,
  { pictures, incomingFolder }: { pictures: ImagePipeline; incomingFolder: string },
): SamplePictures {
  const folder = join(dataDir, 'samples');
  const known = new Map<string, SamplePicture>();

  /** What is linked to an older file of this name keeps it. */
  async function put(path: string, bytes: Buffer): Promise<void> {
    const written = join(incomingFolder, randomUUID());
    await writeDurably(written, bytes);
    await rename(written, path);
  }

  async function load(svgPath: string, signal: AbortSignal): Promise<SamplePicture> {
    const svg = await readFile(svgPath, 'utf8');
    const stem = `${basename(svgPath, '.svg')}-${createHash('sha256').update(svg).digest('hex').slice(0, 16)}`;
    const [large, small] = fileNames(`${stem}.webp`);
    const files = { large: join(folder, large), small: join(folder, small) };
    const factsPath = join(folder, `${stem}.json`);
    const facts = await readFacts(factsPath);
    if (facts !== null && (await isThere(files))) return { ...facts, files };

    const drawn = await retryWhileBusy(() => pictures.draw(svg, signal), signal);
    const { width, height, preview } = drawn;
    await mkdir(folder, { recursive: true });
    await put(files.large, drawn.large);
    await put(files.small, drawn.small);
    // Last: where it is, the others are whole.
    await put(factsPath, Buffer.from(JSON.stringify({ width, height, preview })));
    return { width, height, preview, files };
  }

  return {
    async get(svgPath, signal) {
      const found = known.get(svgPath);
      if (found !== undefined && (await isThere(found.files))) return found;
      const loaded = await load(svgPath, signal);
      known.set(svgPath, loaded);
      return loaded;
    },
  };
}

async function readFacts(path: string): Promise<z.infer<typeof factsSchema> | null> {
  try {
    return factsSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

function isThere({ large, small }: ImageFiles): Promise<boolean> {
  return Promise.all([access(large), access(small)]).then(
    () => true,
    () => false,
  );
}
