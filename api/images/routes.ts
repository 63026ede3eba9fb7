import { Hono } from 'hono';
import { AppError } from '#api/errors.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import type { ImageStore } from './image-store.ts';

/** The pictures of the polls. A name is a random one and its bytes never change. */
export function uploadRoutes({ images }: { images: ImageStore }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/:name', async (c) => {
      const size = c.req.query('w') === String(IMAGE_SMALL_PX) ? 'small' : 'large';
      const picture = await images.read(c.req.param('name'), size);
      if (picture === null) throw new AppError('not_found');
      return c.body(picture, 200, {
        'Content-Type': 'image/webp',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      });
    })
    .all('*', () => {
      throw new AppError('not_found');
    });
}
