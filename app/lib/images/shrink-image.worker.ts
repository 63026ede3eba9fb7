import { type Canvas, encodeImage } from './image-encoder.ts';

function offscreenCanvas(width: number, height: number): Canvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('No 2D canvas');
  return { context, encode: (type, quality) => canvas.convertToBlob({ type, quality }) };
}

async function shrink(file: Blob, port: MessagePort): Promise<void> {
  try {
    const image = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const shrunk = await encodeImage(image, offscreenCanvas);
    image.close();
    port.postMessage(shrunk, [shrunk.bytes]);
  } catch {
    port.postMessage(null);
  }
}

addEventListener('message', (event: MessageEvent<Blob>) => {
  const [port] = event.ports;
  if (port !== undefined) void shrink(event.data, port);
});
