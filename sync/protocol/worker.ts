/** The cache of the service worker that images of polls are kept in. */
export const IMAGE_CACHE = 'pictures';

/** What the page asks the browser to wake the service worker for. */
export const BACKGROUND_DRAIN_TAG = 'drain';
