import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Handle } from '#api/db/client.ts';
import { serverState } from '#api/db/schema/server-state.ts';
import { SHARE_PATH_PREFIX } from '#shared/polls/constants.ts';

// A slug is one block, so that the mode of operation does not matter: this one is the bare cipher.
const CIPHER = 'aes-128-ecb';

/** Makes the share links of polls, and finds polls by them. */
export type ShareLinks = ReturnType<typeof createShareLinks>;

/** Reads the key of the slugs from the database, a UUID. */
export async function readShareKey({ orm }: Handle): Promise<string> {
  const [row] = await orm.select({ key: serverState.shareKey }).from(serverState);
  if (row === undefined) throw new Error('The row of server_state is missing.');
  return row.key;
}

/**
 * The slug of a poll is its id, encrypted: 128 bits that nobody can guess without the key, unique and stored nowhere.
 * `key` is a UUID, `publicUrl` an origin.
 */
export function createShareLinks(key: string, publicUrl: string) {
  const keyBytes = toBytes(key);

  function slugOf(pollId: string): string {
    const cipher = createCipheriv(CIPHER, keyBytes, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(toBytes(pollId)), cipher.final()]).toString('base64url');
  }

  return {
    slugOf,
    urlOf: (pollId: string): string => `${publicUrl}${SHARE_PATH_PREFIX}${slugOf(pollId)}`,
    /** The id of the poll with this slug (see `slugSchema`), if there is one; null for another spelling of a slug. */
    pollIdOf(slug: string): string | null {
      const decipher = createDecipheriv(CIPHER, keyBytes, null).setAutoPadding(false);
      const bytes = Buffer.concat([decipher.update(Buffer.from(slug, 'base64url')), decipher.final()]);
      const id = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      return slugOf(id) === slug ? id : null;
    },
  };
}

function toBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
