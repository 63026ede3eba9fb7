/** Every route's pattern and the way to link to it, side by side. */
export const paths = {
  root: { pattern: '/', href: () => '/' },
  auth: {
    pattern: '/auth',
    href: (query: { next?: string } = {}) =>
      query.next === undefined ? '/auth' : `/auth?${new URLSearchParams({ next: query.next })}`,
  },
  home: {
    pattern: '/home',
    href: (query: { tab?: 'refer' } = {}) => (query.tab === undefined ? '/home' : `/home?tab=${query.tab}`),
  },
  poll: { pattern: '/poll/:id', href: (id: string) => `/poll/${encodeURIComponent(id)}` },
} as const;
