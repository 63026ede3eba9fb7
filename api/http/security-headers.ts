import { secureHeaders } from 'hono/secure-headers';
import type { Env } from '#api/env.ts';

const HSTS_YEAR_S = 31_536_000;

/** The security headers of every answer. HSTS only where the site is on https. */
export function securityHeaders({
  origins,
  isHttps,
  analyticsUrl,
}: Pick<Env, 'origins' | 'isHttps' | 'analyticsUrl'>) {
  const self = ["'self'"];
  const none = ["'none'"];
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const analytics = analyticsUrl === null ? [] : [new URL(analyticsUrl).origin];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: ["'self'", 'data:', 'blob:'],
      connectSrc: [...self, ...sockets, ...analytics],
      fontSrc: self,
      manifestSrc: self,
      workerSrc: self,
      baseUri: none,
      formAction: self,
      frameAncestors: none,
    },
    permissionsPolicy: { camera: false, microphone: false, geolocation: false, payment: false },
    strictTransportSecurity: isHttps ? `max-age=${HSTS_YEAR_S}` : false,
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    referrerPolicy: 'no-referrer',
    xContentTypeOptions: 'nosniff',
    xFrameOptions: 'DENY',
    xXssProtection: false,
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    originAgentCluster: false,
    // A picture has a stricter policy of its own.
    overwrite: false,
  });
}
