import type { RouteHandlerCallback } from 'workbox-core';

/** On a connection that hardly works, the app takes over after this time. */
const WAIT_MAX_MS = 8_000;

/**
 * The page of a share link comes from the server, which puts the poll into it. Without a connection it is the app's shell
 * (`answerOffline`): the poll may be on this device.
 */
export function sharePageHandler(answerOffline: RouteHandlerCallback): RouteHandlerCallback {
  return async (options) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, WAIT_MAX_MS, null);
    });
    const page = await Promise.race([fetch(options.request).catch(() => null), late]);
    clearTimeout(timer);
    return page ?? answerOffline(options);
  };
}
