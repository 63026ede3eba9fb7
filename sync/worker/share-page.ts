import type { RouteHandlerCallback } from 'workbox-core';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { withTimeout } from '#sync/client/timeout.ts';

/** How long to wait for the server on a slow connection before the app's shell is served. */
const PAGE_TIMEOUT_MS = 8_000;

/**
 * Serves the page of a share link from the server, which puts the poll into it. If the server cannot be reached, or a gateway
 * says so, `serveShell` serves the app's shell, because the poll may be on this device. The server's own pages with a status of
 * 500 or above contain no poll either.
 */
export function sharePageHandler(serveShell: RouteHandlerCallback): RouteHandlerCallback {
  return async (options) => {
    const page = await withTimeout(systemClock, PAGE_TIMEOUT_MS, fetch(options.request)).catch(() => null);
    return page === null || page.status >= 500 ? serveShell(options) : page;
  };
}
