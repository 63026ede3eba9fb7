import { AppError } from '#api/errors.ts';
import type { Step } from './before.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether neither `Sec-Fetch-Site` nor `Origin` shows another origin. Clients other than browsers send neither. */
function isSameOrigin(headers: Headers, origins: readonly string[]): boolean {
  const fetchSite = headers.get('Sec-Fetch-Site');
  if (fetchSite !== null && fetchSite !== 'same-origin') return false;
  const origin = headers.get('Origin');
  return origin === null || origins.includes(origin);
}

/**
 * Rejects cross-origin requests: those with unsafe methods, or all (a WebSocket upgrade is a GET with the user's cookie).
 */
export function sameOrigin(origins: readonly string[], methods: 'unsafe' | 'all' = 'unsafe'): Step {
  return (c) => {
    const isChecked = methods === 'all' || !SAFE_METHODS.has(c.req.method);
    if (isChecked && !isSameOrigin(c.req.raw.headers, origins)) throw new AppError('bad_origin');
  };
}
