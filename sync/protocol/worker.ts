/** The service worker's cache for images of polls. */
export const IMAGE_CACHE = 'pictures';

/** The tag under which the browser wakes the service worker to drain. */
export const BACKGROUND_DRAIN_TAG = 'drain';
