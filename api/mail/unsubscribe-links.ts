import { createHmac, timingSafeEqual } from 'node:crypto';

/** Makes the links that end the weekly mail, and finds users by them. */
export type UnsubscribeLinks = ReturnType<typeof createUnsubscribeLinks>;

/**
 * The token of a link is the user's id, signed: it works as long as the account exists, and for nothing else. `key` is a UUID,
 * `publicUrl` an origin.
 */
export function createUnsubscribeLinks(key: string, publicUrl: string) {
  const tokenOf = (userId: number): string => {
    const signature = createHmac('sha256', key).update(`weekly mail ${userId}`).digest('base64url');
    return `${userId}.${signature}`;
  };
  return {
    urlOf: (userId: number): string => `${publicUrl}/unsubscribe?token=${tokenOf(userId)}`,
    /** The user whom a token was made for; null for any other token. */
    userIdOf(token: string): number | null {
      const id = /^(\d{1,9})\./.exec(token)?.[1];
      if (id === undefined) return null;
      const [given, right] = [Buffer.from(token), Buffer.from(tokenOf(Number(id)))];
      return given.length === right.length && timingSafeEqual(given, right) ? Number(id) : null;
    },
  };
}
