/** The service worker's cache for images of polls. */
export const IMAGE_CACHE = 'pictures';

/** The tag of the background sync with which the browser wakes the service worker for a drain. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** The cache that keeps received photos until they are in a draft. Its only entry, at `path`, is a form. */
export const RECEIVED_PHOTOS = { cache: 'received-photos', path: '/received-photos' } as const;
/** The fields of the form in `RECEIVED_PHOTOS`. `count`: the number of shared photos, of which only the first are kept. */
export const RECEIVED_FIELDS = { photos: 'photos', count: 'count', receivedAtMs: 'received-at' } as const;

/** A message of the service worker to a page, with a port for the reply. */
export type OpenPath = { type: typeof OPEN_PATH; path: string };
/** Asks a page to show `path`. It replies once it does so; pages of earlier releases do not reply. */
export const OPEN_PATH = 'open path';
