/** The service worker's cache for images of polls. */
export const IMAGE_CACHE = 'pictures';

/** The tag under which the browser wakes the service worker to drain. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** The cache with the photos that another app has shared, until they are part of a draft. Its one entry, at `path`, is a form. */
export const RECEIVED_PHOTOS = { cache: 'received-photos', path: '/received-photos' } as const;
/** The fields of that form. `count`: how many photos were shared, of which the first ones are kept. */
export const RECEIVED_FIELDS = { photos: 'photos', count: 'count', receivedAtMs: 'received-at' } as const;
