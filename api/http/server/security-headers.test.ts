import { expect, test } from 'vitest';
import { securityHeaders } from './security-headers.ts';

const site = { origins: ['http://localhost:3000'], isHttps: false, analyticsUrl: null };

test('the CSP allows only files, images and sockets of this site', () => {
  const headers = securityHeaders({ ...site, origins: ['http://localhost:3000', 'http://127.0.0.1:3000'] });
  expect(headers).toEqual({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
      "connect-src 'self' ws://localhost:3000 ws://127.0.0.1:3000; font-src 'self'; manifest-src 'self'; " +
      "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});

test('an https site sets HSTS for a year', () => {
  expect(securityHeaders({ ...site, isHttps: true })).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
  });
});

test('the CSP allows page views to be sent to the configured address', () => {
  const headers = securityHeaders({ ...site, analyticsUrl: 'https://plausible.example.org/api/event' });
  expect(headers['content-security-policy']).toMatch(
    /connect-src 'self' [^;]* https:\/\/plausible\.example\.org;/,
  );
});
