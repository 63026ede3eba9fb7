import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as base64url (43 characters). Stored only as a hash. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function isTokenShaped(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** The SHA-256 of a token in hex, as the database stores it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
