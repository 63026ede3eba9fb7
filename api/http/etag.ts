import { hash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/** The JSON of a `Value`, written only for a client that does not have this version yet. Equal versions have equal texts. */
export class JsonText<Value> {
  /** Never set: makes the type depend on `Value`. */
  declare readonly value: Value;
  readonly version: string;
  readonly write: () => string | Buffer<ArrayBuffer>;

  constructor(version: string, write: () => string | Buffer<ArrayBuffer>) {
    this.version = version;
    this.write = write;
  }
}

/** A digest (base64url) to compare texts or files, not for security. */
export function hashText(text: string | Buffer): string {
  return hash('sha1', text, 'base64url');
}

/**
 * Responds with `body` as JSON and an ETag, or with 304 when the client has that version. Headers that were set with `c.header`
 * are not part of the response.
 */
export function jsonWithEtag(c: AppContext, body: unknown): Response {
  const { version, write } = body instanceof JsonText ? body : toText(body);
  const etag = `"${version}"`;
  // Not `c.body`, which would copy the headers.
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Cookie' };
  if (matchesEtag(c.req.header('If-None-Match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(write(), { headers: { ...headers, 'Content-Type': 'application/json' } });
}

function toText(body: unknown): JsonText<unknown> {
  const text = JSON.stringify(body);
  return new JsonText(hashText(text), () => text);
}

/** Whether an `If-None-Match` header matches `etag`, by the weak comparison of RFC 9110. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}
