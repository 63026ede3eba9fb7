import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as base64url, 43 characters: to be handed out once and kept nowhere. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether `text` could be a token of ours at all. */
export function isTokenShaped(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** What the database keeps of a token: its SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
