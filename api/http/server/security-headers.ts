import type { Env } from '#api/env.ts';

const HSTS_YEAR_S = 31_536_000;

/** The security headers of every response, by their names in lower case. HSTS only on https. */
export function securityHeaders({
  origins,
  isHttps,
  analyticsUrl,
}: Pick<Env, 'origins' | 'isHttps' | 'analyticsUrl'>): Readonly<Record<string, string>> {
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const analytics = analyticsUrl === null ? [] : [new URL(analyticsUrl).origin];
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      `connect-src ${["'self'", ...sockets, ...analytics].join(' ')}`,
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(isHttps && { 'strict-transport-security': `max-age=${HSTS_YEAR_S}` }),
  };
}
