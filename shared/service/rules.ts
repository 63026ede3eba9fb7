/** The prerendered pages that are served unchanged. */
export type PrerenderedPage = 'auth' | 'auth-signup' | 'home';
/** `share`: one of `SHARE_TEMPLATES`. `index`, with an empty root element, is served at every other address of the app. */
export type Page = PrerenderedPage | 'share' | 'index';

/**
 * The prerendered pages of share links, into which the server puts the poll: for an open poll, a closed poll with votes and one
 * without, a missing poll, and a page without content, for logged-in users and after errors.
 */
export const SHARE_TEMPLATES = [
  'share',
  'share-ended',
  'share-no-votes',
  'share-missing',
  'share-shell',
] as const;
export type ShareTemplate = (typeof SHARE_TEMPLATES)[number];

/**
 * The marker in a page of a share link that the server replaces with a text.
 *
 * @param name the name of the text; the server passes a pattern that matches any name, and searches for the result
 */
export function shareMarker(name: string): string {
  return `[[${name}]]`;
}

/**
 * The HTML page of the build for an address of the app. The server and the service worker serve it, and the app expects it when
 * it starts.
 *
 * @param url the opened address
 * @returns the name of the page, without `.html`
 */
export function pageOf({ pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>): Page {
  if (pathname === '/home') return 'home';
  if (pathname === '/auth') return isSignupRequested(searchParams) ? 'auth-signup' : 'auth';
  return /^\/s\/[^/]+$/.test(pathname) ? 'share' : 'index';
}

/**
 * Whether /auth opens with the form for a new account.
 *
 * @param query the query of the address
 */
export function isSignupRequested(query: URLSearchParams): boolean {
  return query.has('ref') || query.get('tab') === 'signup';
}
