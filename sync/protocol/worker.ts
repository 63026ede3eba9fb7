/** The service worker's cache for images of polls. */
export const IMAGE_CACHE = 'pictures';

/** The tag under which the browser wakes the service worker to drain. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** The cache of received photos, until they are in a draft. Its only entry, at `path`, is a form. */
export const RECEIVED_PHOTOS = { cache: 'received-photos', path: '/received-photos' } as const;
/** The fields of the form in `RECEIVED_PHOTOS`. `count`: how many photos were shared, of which the first ones are kept. */
export const RECEIVED_FIELDS = { photos: 'photos', count: 'count', receivedAtMs: 'received-at' } as const;
