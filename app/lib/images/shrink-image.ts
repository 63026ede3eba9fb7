import { type Canvas, encodePhoto, type ShrunkPhoto } from './image-encoder.ts';

const WORKER_PATIENCE_MS = 30_000;

/** The browser cannot read the file as a picture. */
class UnreadablePhotoError extends Error {
  override name = 'UnreadablePhotoError';
}

function pageCanvas(width: number, height: number): Canvas {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new UnreadablePhotoError('No canvas');
  return {
    context,
    encode: (type, quality) => new Promise((resolve) => canvas.toBlob(resolve, type, quality)),
  };
}

/** Null when the worker cannot do it, be it for the browser's sake or the picture's. */
function shrinkInWorker(file: Blob): Promise<ShrunkPhoto | null> {
  if (typeof OffscreenCanvas === 'undefined') return Promise.resolve(null);
  const worker = new Worker(new URL('./shrink-image.worker.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  return new Promise<ShrunkPhoto | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), WORKER_PATIENCE_MS);
    port1.onmessage = (event: MessageEvent<ShrunkPhoto | null>) => {
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

async function shrinkOnPage(file: Blob): Promise<ShrunkPhoto> {
  try {
    const photo = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const shrunk = await encodePhoto(photo, pageCanvas);
    photo.close();
    return shrunk;
  } catch (cause) {
    throw new UnreadablePhotoError('The file could not be read as a picture', { cause });
  }
}

/**
 * A photo of any usual size as one that the server takes: upright, at most 1600 px on its long side and
 * 4.5 MB. Throws `UnreadablePhotoError`.
 */
export async function shrinkPhoto(file: Blob): Promise<ShrunkPhoto> {
  return (await shrinkInWorker(file)) ?? (await shrinkOnPage(file));
}
