/**
 * The timeout of slow requests, such as deleting large accounts and polls, or starting a job while others are running. Longer than
 * the two minutes after which nginx gives up (deploy/nginx.conf), so that the error is the proxy's.
 */
export const LONG_TIMEOUT_MS = 130_000;
