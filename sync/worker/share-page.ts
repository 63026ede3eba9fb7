import type { RouteHandlerCallback } from 'workbox-core';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { withTimeLimit } from '#sync/client/time-limit.ts';

/** On a connection that hardly works, the app takes over after this time. */
const WAIT_MAX_MS = 8_000;

/**
 * The page of a share link comes from the server, which puts the poll into it. Without a connection it is the app's shell
 * (`answerOffline`): the poll may be on this device.
 */
export function sharePageHandler(answerOffline: RouteHandlerCallback): RouteHandlerCallback {
  return async (options) => {
    const page = await withTimeLimit(systemClock, WAIT_MAX_MS, fetch(options.request)).catch(() => null);
    return page ?? answerOffline(options);
  };
}
