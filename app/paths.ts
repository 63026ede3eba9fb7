// Like the one of shared/http.ts, whose schemas would burden the first paint.
function withQuery(path: string, query: Record<string, string | undefined>): string {
  const named = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return named.length === 0 ? path : `${path}?${new URLSearchParams(named)}`;
}

type AuthQuery = { tab?: 'signup'; ref?: string | undefined; next?: string };

/** Every route's pattern and the way to link to it, side by side. */
export const paths = {
  root: { pattern: '/', href: () => '/' },
  auth: { pattern: '/auth', href: (query: AuthQuery = {}) => withQuery('/auth', query) },
  signup: {
    pattern: '/signup',
    href: (query: { ref?: string } = {}) => withQuery('/signup', query),
  },
  home: {
    pattern: '/home',
    href: (query: { tab?: 'refer' } = {}) => withQuery('/home', query),
  },
  points: { pattern: '/points', href: () => '/points' },
  explore: { pattern: '/explore', href: () => '/explore' },
  referrals: { pattern: '/referrals', href: () => '/referrals' },
  profile: {
    pattern: '/profile',
    href: (query: { tab?: 'activity' } = {}) => withQuery('/profile', query),
  },
  settings: { pattern: '/settings', href: () => '/settings' },
  notifications: { pattern: '/notifications', href: () => '/notifications' },
  diagnostic: { pattern: '/diagnostic', href: () => '/diagnostic' },
  verifyEmail: { pattern: '/verify-email' },
  resetPassword: { pattern: '/reset-password' },
  admin: {
    pattern: '/admin',
    href: (query: { tab?: 'overview' | 'polls' } = {}) => withQuery('/admin', query),
  },
  adminPanel: { pattern: '/admin-panel', href: () => '/admin-panel' },
  adminSimple: { pattern: '/admin-simple', href: () => '/admin-simple' },
  outbox: { pattern: '/outbox', href: () => '/outbox' },
  myPolls: { pattern: '/my-polls', href: () => '/my-polls' },
  poll: { pattern: '/poll/:id', href: (id: string) => `/poll/${encodeURIComponent(id)}` },
} as const;
