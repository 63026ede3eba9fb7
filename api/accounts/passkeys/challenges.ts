import { and, eq, gt, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { passkeyChallenges } from '#api/db/schema/passkeys.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { CHALLENGE_TTL_MINUTES } from '#shared/accounts/constants.ts';

/** What a challenge or ticket is valid for: its purpose and, depending on that, a user and their session. */
type ChallengeBinding = AssertionBinding | TicketBinding | SessionBinding<'add'>;
export type AssertionBinding = { purpose: 'login' } | SecondStepBinding | SessionBinding<'confirm'>;
type TicketBinding = { purpose: 'ticket'; userId: number };
type SecondStepBinding = { purpose: 'second-step'; userId: number };
type SessionBinding<Purpose extends string> = { purpose: Purpose; userId: number; sessionToken: string };

const IS_UNEXPIRED = gt(passkeyChallenges.expiresAt, sql`now()`);

/** Stores a challenge or ticket for `CHALLENGE_TTL_MINUTES`. */
export async function storeChallenge(
  { orm }: Handle,
  challenge: string,
  binding: ChallengeBinding,
): Promise<void> {
  await orm.insert(passkeyChallenges).values({
    hash: hashToken(challenge),
    ...columnsOf(binding),
    expiresAt: sql`now() + make_interval(mins => ${CHALLENGE_TTL_MINUTES})`,
  });
}

/** The values of the columns that store a binding. */
function columnsOf(binding: ChallengeBinding) {
  return {
    purpose: binding.purpose,
    userId: 'userId' in binding ? binding.userId : null,
    sessionHash: 'sessionToken' in binding ? hashToken(binding.sessionToken) : null,
  };
}

/** Deletes a challenge or ticket, if it is valid for `binding`, and returns whether it was. Of concurrent uses, one succeeds. */
export async function consumeChallenge(
  { orm }: Handle,
  challenge: string,
  binding: ChallengeBinding,
): Promise<boolean> {
  const { purpose, userId, sessionHash } = columnsOf(binding);
  const consumed = await orm
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.hash, hashToken(challenge)),
        eq(passkeyChallenges.purpose, purpose),
        sql`${passkeyChallenges.userId} is not distinct from ${userId}`,
        sql`${passkeyChallenges.sessionHash} is not distinct from ${sessionHash}`,
        IS_UNEXPIRED,
      ),
    );
  return consumed.count === 1;
}

/** The id of a ticket's user. Null if the ticket is used up or has expired. */
export async function findTicket({ orm }: Handle, ticket: string): Promise<number | null> {
  const [row] = await orm
    .select({ userId: passkeyChallenges.userId })
    .from(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.hash, hashToken(ticket)),
        eq(passkeyChallenges.purpose, 'ticket'),
        IS_UNEXPIRED,
      ),
    );
  return row?.userId ?? null;
}

/** Deletes all challenges and tickets of a user, so that logins in their second step must start again. */
export async function discardChallenges({ orm }: Handle, userId: number): Promise<void> {
  await orm.delete(passkeyChallenges).where(eq(passkeyChallenges.userId, userId));
}
