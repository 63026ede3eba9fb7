import type { Database } from '#api/db/client.ts';
import { AppError } from '#api/errors.ts';
import { before } from '#api/http/before.ts';
import { CallRouter } from '#api/http/call-router.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import type { ReadCache } from '#api/http/read-cache.ts';
import { noStore } from '#api/http/response-headers.ts';
import { IMAGE_PATH_PREFIX, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { readImage } from '#shared/polls/contract.ts';
import { DAY_MS } from '#shared/time.ts';
import type { ImageStore } from './image-store.ts';
import type { ImageSender } from './send-image.ts';
import { createWithheldImages } from './withheld-images.ts';

type ImageDeps = {
  db: Database;
  listCache: ReadCache;
  images: ImageStore;
  limits: Limits;
  sendImage: ImageSender;
};

/**
 * Serves the images of polls, except those of removed polls. Names are random, and the bytes of a name change only when an image
 * is repaired; caches revalidate after a day, in case the image was removed.
 */
export function imageRoutes({ db, listCache, images, limits, sendImage }: ImageDeps) {
  const withheld = createWithheldImages({ db, listCache });

  const router = new CallRouter();
  router.use(before(noStore));
  return router
    .answerWithin(limits.imagesOfClient, readImage, ({ c, params }) =>
      sendImage(c, { type: 'image/webp', maxAgeMs: DAY_MS }, async () => {
        const size = c.req.query('w') === String(IMAGE_SMALL_PX) ? 'small' : 'large';
        if (await withheld.has(`${IMAGE_PATH_PREFIX}${params.name}`)) return null;
        return images.open(params.name, size);
      }),
    )
    .all('*', () => {
      throw new AppError('not_found');
    });
}
