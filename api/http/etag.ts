import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/** Answers `body` as JSON with an ETag (a hash of it), or 304 when the client has that version. */
export function jsonWithEtag(c: AppContext, body: unknown): Response {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha1').update(text).digest('base64url')}"`;
  c.header('ETag', etag);
  c.header('Cache-Control', 'private, no-cache');
  c.header('Vary', 'Cookie');
  if (matchesEtag(c.req.header('If-None-Match'), etag)) return c.body(null, 304);
  return c.body(text, 200, { 'Content-Type': 'application/json' });
}

/** Whether an `If-None-Match` header matches `etag`, by the weak comparison of RFC 9110. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}
