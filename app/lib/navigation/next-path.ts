const FALLBACK = '/';

/** The path to go to after a login, from the `next` parameter; "/" if it could lead to another origin or back to /auth. */
export function safeNextPath(next: string | null, origin: string): string {
  if (next === null || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, origin)) return FALLBACK;
  const url = new URL(next, origin);
  if (url.origin !== origin || url.pathname.startsWith('//') || url.pathname === '/auth') return FALLBACK;
  return `${url.pathname}${url.search}${url.hash}`;
}
