/** The pages that are prerendered at build. `index` has an empty root and serves every other address. */
export type PrerenderedPage = 'auth' | 'auth-signup' | 'home';
export type Page = PrerenderedPage | 'share' | 'index';

/**
 * The pages of share links that are prerendered at build, into which the server puts the poll: what to choose from, that it has
 * ended, that there is none, and a page without content for users.
 */
export const SHARE_TEMPLATES = ['share', 'share-ended', 'share-missing', 'share-shell'] as const;
export type ShareTemplate = (typeof SHARE_TEMPLATES)[number];

/**
 * The place of a text in a page of a share link.
 *
 * @param name which text, or a pattern for any
 */
export function shareMarker(name: string): string {
  return `[[${name}]]`;
}

/**
 * Which HTML page of the build an address of the app gets: from the server, from the service worker, and the one that the app
 * expects to find when it starts.
 *
 * @param url the address that is opened
 * @returns the name of the page, without `.html`
 */
export function pageOf({ pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>): Page {
  if (pathname === '/home') return 'home';
  if (pathname === '/auth') return wantsSignup(searchParams) ? 'auth-signup' : 'auth';
  return /^\/s\/[^/]+$/.test(pathname) ? 'share' : 'index';
}

/**
 * Whether /auth opens with the form for a new account.
 *
 * @param query the query of the address
 */
export function wantsSignup(query: URLSearchParams): boolean {
  return query.has('ref') || query.get('tab') === 'signup';
}
