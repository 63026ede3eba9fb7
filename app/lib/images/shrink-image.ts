import { type Canvas, encodeImage, type ShrunkImage } from './image-encoder.ts';

const WORKER_TIMEOUT_MS = 30_000;

function pageCanvas(width: number, height: number): Canvas {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('No 2D canvas');
  return {
    context,
    encode: (type, quality) => new Promise((resolve) => canvas.toBlob(resolve, type, quality)),
  };
}

/** Null when the image cannot be shrunk in a worker of this browser. */
function shrinkInWorker(file: Blob): Promise<ShrunkImage | null> {
  if (typeof OffscreenCanvas === 'undefined') return Promise.resolve(null);
  const worker = new Worker(new URL('./shrink-image.worker.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  return new Promise<ShrunkImage | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), WORKER_TIMEOUT_MS);
    port1.onmessage = (event: MessageEvent<ShrunkImage | null>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    worker.onerror = () => resolve(null);
    worker.postMessage(file, [port2]);
  }).finally(() => {
    port1.close();
    worker.terminate();
  });
}

async function shrinkOnPage(file: Blob): Promise<ShrunkImage> {
  try {
    const image = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const shrunk = await encodeImage(image, pageCanvas);
    image.close();
    return shrunk;
  } catch (cause) {
    throw new Error('The file could not be read as an image', { cause });
  }
}

/**
 * Shrinks an image for the upload: upright, at most 1600 px on its long side and 4.5 MiB. Throws if the browser cannot read the
 * file as an image.
 */
export async function shrinkImage(file: Blob): Promise<ShrunkImage> {
  return (await shrinkInWorker(file)) ?? (await shrinkOnPage(file));
}
