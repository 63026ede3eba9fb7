const LONG_SIDE_STEPS_PX = [1600, 1200, 900, 640] as const;
/** Less than `IMAGE_MAX_BYTES`, the most that the server accepts. */
const BYTES_MAX = 4.5 * 1024 * 1024;
const WEBP_QUALITY = 0.82;
const JPEG_QUALITY = 0.85;

type Size = { width: number; height: number };
export type ShrunkImage = Size & { bytes: ArrayBuffer; mime: string };

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;
/** An HTML or offscreen canvas. */
export type Canvas = { context: Context; encode(type: string, quality: number): Promise<Blob | null> };
type MakeCanvas = (width: number, height: number) => Canvas;

/** The size scaled down so that its long side is at most `longSidePx`; never scaled up. */
export function fitWithin(size: Size, longSidePx: number): Size {
  const scale = Math.min(1, longSidePx / Math.max(size.width, size.height));
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}

/** Scales `image` down until the server accepts its size; as WebP if the browser can encode it, else as JPEG. */
export async function encodeImage(image: ImageBitmap, makeCanvas: MakeCanvas): Promise<ShrunkImage> {
  for (const longSidePx of LONG_SIDE_STEPS_PX) {
    const size = fitWithin(image, longSidePx);
    const blob = await encodeAtSize(image, size, makeCanvas);
    if (blob.size <= BYTES_MAX) return { bytes: await blob.arrayBuffer(), mime: blob.type, ...size };
  }
  throw new Error('The image is too large even at the smallest size');
}

async function encodeAtSize(image: ImageBitmap, size: Size, makeCanvas: MakeCanvas): Promise<Blob> {
  const { context, encode } = makeCanvas(size.width, size.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, size.width, size.height);
  const webp = await encode('image/webp', WEBP_QUALITY);
  // A browser that cannot encode WebP silently falls back to PNG.
  if (webp?.type === 'image/webp') return webp;
  // JPEG has no transparency: draws white behind the image.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  const jpeg = await encode('image/jpeg', JPEG_QUALITY);
  if (jpeg?.type === 'image/jpeg') return jpeg;
  throw new Error('The image could not be encoded');
}
