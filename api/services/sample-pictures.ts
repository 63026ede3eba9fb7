import { randomUUID } from 'node:crypto';
import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { settleAll, writeDurably } from './durable-files.ts';
import type { ImagePipeline, ProcessedPicture } from './image-pipeline.ts';
import { fileNames, type ImageFiles } from './image-store.ts';
import { whenFree } from './patience.ts';

/** A drawing as files, to be linked for each poll that shows it. Sizes and preview as in `ProcessedPicture`. */
export type SamplePicture = Omit<ProcessedPicture, 'large' | 'small'> & { files: ImageFiles };

export type SamplePictures = {
  /** The drawing of this name, made by `draw` (an SVG) when it is asked for the first time in this process. */
  get(name: string, draw: () => string, signal: AbortSignal): Promise<SamplePicture>;
};

/** The drawings of sample polls in `dataDir/samples`, each encoded once; they come to be in `incomingFolder`. */
export function createSamplePictures(
  dataDir: string,
  { pictures, incomingFolder }: { pictures: ImagePipeline; incomingFolder: string },
): SamplePictures {
  const folder = join(dataDir, 'samples');
  const known = new Map<string, SamplePicture>();

  async function put(name: string, bytes: Buffer): Promise<string> {
    const path = join(folder, name);
    const written = join(incomingFolder, `${randomUUID()}.webp`);
    await writeDurably(written, bytes);
    // What is linked to an older file of this name keeps it.
    await rename(written, path);
    return path;
  }

  async function make(name: string, draw: () => string, signal: AbortSignal): Promise<SamplePicture> {
    const { large, small, ...facts } = await whenFree(() => pictures.draw(draw(), signal), signal);
    await mkdir(folder, { recursive: true });
    const [largeName, smallName] = fileNames(`${name}.webp`);
    await settleAll([put(largeName, large), put(smallName, small)]);
    return { ...facts, files: { large: join(folder, largeName), small: join(folder, smallName) } };
  }

  return {
    async get(name, draw, signal) {
      const found = known.get(name);
      if (found !== undefined && (await isThere(found.files))) return found;
      const made = await make(name, draw, signal);
      known.set(name, made);
      return made;
    },
  };
}

function isThere({ large, small }: ImageFiles): Promise<boolean> {
  return Promise.all([access(large), access(small)]).then(
    () => true,
    () => false,
  );
}
