import { createHmac, timingSafeEqual } from 'node:crypto';

/** Creates the unsubscribe links of weekly mails, and finds the user of a link's token. */
export type UnsubscribeLinks = ReturnType<typeof createUnsubscribeLinks>;

/**
 * The token of a link is the user's id with an HMAC. It works as long as the account exists, and only for
 * unsubscribing. `key` is a UUID, `publicUrl` an origin.
 */
export function createUnsubscribeLinks(key: string, publicUrl: string) {
  const tokenOf = (userId: number): string => {
    const signature = createHmac('sha256', key).update(`weekly mail ${userId}`).digest('base64url');
    return `${userId}.${signature}`;
  };
  return {
    urlOf: (userId: number): string => `${publicUrl}/unsubscribe?token=${tokenOf(userId)}`,
    /** The id of the user for whom a token was created; null if the token is not valid. */
    userIdOf(token: string): number | null {
      const id = /^(\d{1,10})\./.exec(token)?.[1];
      if (id === undefined) return null;
      const [givenToken, validToken] = [Buffer.from(token), Buffer.from(tokenOf(Number(id)))];
      return givenToken.length === validToken.length && timingSafeEqual(givenToken, validToken)
        ? Number(id)
        : null;
    },
  };
}
