import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { normalizeImagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { sourceSet } from './image-sources.ts';

/** The `sizes` attribute of the images of a deck card. */
export const DECK_IMAGE_SIZES = '(min-width: 48.0625rem) 270px, 50vw';

const fetchedPaths = new Set<string>();

/**
 * Prefetches images that were not fetched before, one poll after another, in the size that the cards will show. The service
 * worker caches them for offline use.
 */
export async function fetchDeckImages(polls: readonly Poll[], signal: AbortSignal): Promise<void> {
  await untilServiceWorkerControls(signal);
  for (const { option1Image, option1Size, option2Image, option2Size } of polls) {
    if (signal.aborted) return;
    await Promise.all([fetchImage(option1Image, option1Size), fetchImage(option2Image, option2Size)]);
  }
}

async function fetchImage(storedPath: string, size: Poll['option1Size']): Promise<void> {
  const path = normalizeImagePath(storedPath);
  if (!path.startsWith(IMAGE_PATH_PREFIX) || fetchedPaths.has(path)) return;
  const image = new Image();
  await new Promise((resolve) => {
    image.onload = () => resolve(fetchedPaths.add(path));
    image.onerror = resolve;
    image.fetchPriority = 'low';
    image.sizes = DECK_IMAGE_SIZES;
    image.srcset = sourceSet(path, size);
    image.src = path;
  });
}

/** Waits until a service worker, which caches the images, controls the page; at most until `signal` is aborted. */
async function untilServiceWorkerControls(signal: AbortSignal): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined || serviceWorker.controller !== null) return;
  await new Promise((resolve) => {
    serviceWorker.addEventListener('controllerchange', resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
  });
}
