const FALLBACK = '/';

/**
 * The path to go to after logging in, from the `next` parameter of the address.
 * Anything that could lead off this origin, or back to /auth, gives "/".
 */
export function safeNextPath(next: string | null, origin: string): string {
  if (next === null || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, origin)) return FALLBACK;
  const url = new URL(next, origin);
  if (url.origin !== origin || url.pathname === '/auth') return FALLBACK;
  return `${url.pathname}${url.search}${url.hash}`;
}
