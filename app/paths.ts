import { type QueryParams, withQuery } from '#shared/query.ts';

const path = <Pattern extends string>(pattern: Pattern) => ({ pattern, href: () => pattern });

const pathWithQuery = <Parameters extends QueryParams>(pattern: string) => ({
  pattern,
  href: (query?: Parameters) => withQuery(pattern, query ?? {}),
});

/** The pattern of every route, and `href`, which returns a link to it, for those that the app links to. */
export const paths = {
  root: path('/'),
  auth: pathWithQuery<{ tab?: 'signup' | undefined; ref?: string | undefined; next?: string | undefined }>(
    '/auth',
  ),
  signup: { pattern: '/signup' },
  home: pathWithQuery<{ tab?: 'refer'; create?: string }>('/home'),
  points: path('/points'),
  explore: path('/explore'),
  referrals: path('/referrals'),
  profile: pathWithQuery<{ tab?: 'activity' }>('/profile'),
  settings: path('/settings'),
  notifications: path('/notifications'),
  diagnostic: path('/diagnostic'),
  verifyEmail: { pattern: '/verify-email' },
  resetPassword: { pattern: '/reset-password' },
  undoEmailChange: { pattern: '/undo-email-change' },
  unsubscribe: { pattern: '/unsubscribe' },
  undoPasskeys: { pattern: '/undo-passkeys' },
  admin: pathWithQuery<{ tab?: 'overview' | 'polls' | 'reports' }>('/admin'),
  adminPanel: path('/admin-panel'),
  adminSimple: { pattern: '/admin-simple' },
  outbox: path('/outbox'),
  rules: path('/rules'),
  myPolls: path('/my-polls'),
  share: { pattern: '/s/:slug', href: (slug: string) => `/s/${encodeURIComponent(slug)}` },
  poll: { pattern: '/poll/:id', href: (id: string) => `/poll/${encodeURIComponent(id)}` },
} as const;
