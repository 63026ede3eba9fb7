import { hash } from 'node:crypto';
import { access, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { replaceAtomically } from '#api/storage/durable-files.ts';
import { retryWhileBusy } from './concurrency-limiter.ts';
import type { ImagePipeline, ProcessedImage } from './image-pipeline.ts';
import { fileNames, type ImageFiles } from './image-store.ts';

const metadataSchema = z.object({ width: z.int(), height: z.int(), preview: z.string() });

/** An encoded illustration, whose files are linked or copied for each poll that shows it. */
export type SampleImage = Omit<ProcessedImage, 'large' | 'small'> & { files: ImageFiles };

export type SampleImages = ReturnType<typeof createSampleImages>;

/**
 * The illustrations of sample polls, encoded on first use and kept in `dataDir/samples` under the hash of their SVG file.
 * Files are written in `incomingFolder` first.
 */
export function createSampleImages(
  dataDir: string,
  { imagePipeline, incomingFolder }: { imagePipeline: ImagePipeline; incomingFolder: string },
) {
  const folder = join(dataDir, 'samples');
  const cached = new Map<string, SampleImage>();

  async function load(svgPath: string, signal: AbortSignal): Promise<SampleImage> {
    const svg = await readFile(svgPath, 'utf8');
    const stem = `${basename(svgPath, '.svg')}-${hash('sha256', svg, 'hex').slice(0, 16)}`;
    const [large, small] = fileNames(`${stem}.webp`);
    const files = { large: join(folder, large), small: join(folder, small) };
    const metadataPath = join(folder, `${stem}.json`);
    const metadata = await readMetadata(metadataPath);
    if (metadata !== null && (await filesExist(files))) return { ...metadata, files };

    const rendered = await retryWhileBusy(() => imagePipeline.draw(svg, signal), signal);
    const { width, height, preview } = rendered;
    await mkdir(folder, { recursive: true });
    await replaceAtomically(files.large, rendered.large, incomingFolder);
    await replaceAtomically(files.small, rendered.small, incomingFolder);
    // Written last: where it exists, the other files are complete.
    const written = Buffer.from(JSON.stringify({ width, height, preview }));
    await replaceAtomically(metadataPath, written, incomingFolder);
    return { width, height, preview, files };
  }

  return {
    /** The SVG file at `svgPath` as images. Waits while the decoders are busy, until `signal` aborts. */
    async get(svgPath: string, signal: AbortSignal): Promise<SampleImage> {
      const hit = cached.get(svgPath);
      if (hit !== undefined && (await filesExist(hit.files))) return hit;
      const loaded = await load(svgPath, signal);
      cached.set(svgPath, loaded);
      return loaded;
    },
  };
}

async function readMetadata(path: string): Promise<z.infer<typeof metadataSchema> | null> {
  try {
    return metadataSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

function filesExist({ large, small }: ImageFiles): Promise<boolean> {
  return Promise.all([access(large), access(small)]).then(
    () => true,
    () => false,
  );
}
