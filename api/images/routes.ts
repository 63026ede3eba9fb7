import { AppError } from '#api/errors.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { readImage } from '#shared/polls/contract.ts';
import type { ImageStore } from './image-store.ts';

/** Serves the images of polls. Names are random and the bytes of a name never change. */
export function uploadRoutes({ images }: { images: ImageStore }) {
  return new CallRouter()
    .answer(readImage, async ({ c, params }) => {
      const size = c.req.query('w') === String(IMAGE_SMALL_PX) ? 'small' : 'large';
      const image = await images.read(params.name, size);
      if (image === null) throw new AppError('not_found');
      return c.body(image, 200, {
        'Content-Type': 'image/webp',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      });
    })
    .all('*', () => {
      throw new AppError('not_found');
    });
}
