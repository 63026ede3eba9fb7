import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/**
 * Answers `body` as JSON with an ETag, a hash of what this viewer gets, or 304 when the client has just that.
 */
export function jsonWithEtag(c: AppContext, body: unknown): Response {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha1').update(text).digest('base64url')}"`;
  c.header('ETag', etag);
  c.header('Cache-Control', 'private, no-cache');
  c.header('Vary', 'Cookie');
  if (matchesEtag(c.req.header('If-None-Match'), etag)) return c.body(null, 304);
  return c.body(text, 200, { 'Content-Type': 'application/json' });
}

/** Whether a `If-None-Match` header names `etag` (weakly compared, as RFC 9110 wants it). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}
