import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeDurably } from './durable-files.ts';
import type { ImagePipeline, ProcessedPicture } from './image-pipeline.ts';
import { fileNames, type ImageFiles } from './image-store.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

const factsSchema = z.object({ width: z.int(), height: z.int(), preview: z.string() });

/** A drawing as files, to be linked for each poll that shows it. Sizes and preview as in `ProcessedPicture`. */
export type SamplePicture = Omit<ProcessedPicture, 'large' | 'small'> & { files: ImageFiles };

export type SamplePictures = {
  /** The drawing of this name, an SVG that `draw` makes. Waits while the decoders are busy, until `signal` aborts. */
  get(name: string, draw: () => string, signal: AbortSignal): Promise<SamplePicture>;
};

/**
 * The drawings of sample polls in `dataDir/samples`, each encoded when it is asked for the first time. They come to
 * be in `incomingFolder`. Another drawing under the same name is another file.
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

  async function load(name: string, draw: () => string, signal: AbortSignal): Promise<SamplePicture> {
    const svg = draw();
    const stem = `${name}-${createHash('sha256').update(svg).digest('hex').slice(0, 16)}`;
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
    async get(name, draw, signal) {
      const found = known.get(name);
      if (found !== undefined && (await isThere(found.files))) return found;
      const loaded = await load(name, draw, signal);
      known.set(name, loaded);
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
