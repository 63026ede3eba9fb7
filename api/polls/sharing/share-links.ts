import { createCipheriv, createDecipheriv } from 'node:crypto';
import { SHARE_PATH_PREFIX } from '#shared/polls/constants.ts';

// A slug is a single block, so that the mode of operation does not matter. ECB keeps no state between blocks, so that one cipher
// object serves for all slugs.
const CIPHER = 'aes-128-ecb';
const BLOCK_BYTES = 16;

/** Makes the share links of polls, and finds polls by them. */
export type ShareLinks = ReturnType<typeof createShareLinks>;

/**
 * The slug of a poll is its id, encrypted: 128 bits that nobody can guess without the key, unique and stored nowhere.
 * `key` is a UUID, `publicUrl` an origin.
 */
export function createShareLinks(key: string, publicUrl: string) {
  const cipher = createCipheriv(CIPHER, toBytes(key), null).setAutoPadding(false);
  const decipher = createDecipheriv(CIPHER, toBytes(key), null).setAutoPadding(false);
  const slugOf = (pollId: string) => cipher.update(toBytes(pollId)).toString('base64url');

  return {
    slugOf,
    urlOf: (pollId: string): string => `${publicUrl}${SHARE_PATH_PREFIX}${slugOf(pollId)}`,
    /**
     * The poll id that this slug (see `slugSchema`) encrypts, whether or not there is such a poll; null for another text that
     * decodes to the same bytes as a slug.
     */
    pollIdOf(slug: string): string | null {
      const encrypted = Buffer.from(slug, 'base64url');
      if (encrypted.length !== BLOCK_BYTES) return null;
      const id = decipher
        .update(encrypted)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      return slugOf(id) === slug ? id : null;
    },
  };
}

/** Throws for anything but a UUID: the cipher would keep an incomplete block, and shift everything it is given later. */
function toBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== BLOCK_BYTES) throw new Error('A share link needs a UUID.');
  return bytes;
}
