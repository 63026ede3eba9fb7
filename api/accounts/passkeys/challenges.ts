import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { passkeyChallenges } from '#api/db/schema/passkeys.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { CHALLENGE_TTL_MINUTES } from '#shared/accounts/constants.ts';

/** Whom and what a challenge is made for. It is valid for nothing else. */
export type Binding = AssertionBinding | TicketBinding | SessionBinding<'add'>;
export type AssertionBinding = { purpose: 'login' } | SecondStepBinding | SessionBinding<'confirm'>;
type TicketBinding = { purpose: 'ticket'; userId: number };
type SecondStepBinding = { purpose: 'second-step'; userId: number };
type SessionBinding<Purpose extends string> = { purpose: Purpose; userId: number; sessionToken: string };

/** Stores a challenge, or a ticket, for five minutes. */
export async function storeChallenge({ orm }: Handle, challenge: string, binding: Binding): Promise<void> {
  const { purpose, userId, sessionHash } = columnsOf(binding);
  await orm.insert(passkeyChallenges).values({
    hash: hashToken(challenge),
    purpose,
    userId,
    sessionHash,
    expiresAt: sql`now() + make_interval(mins => ${CHALLENGE_TTL_MINUTES})`,
  });
}

/** The columns that store a binding. */
function columnsOf(binding: Binding) {
  return {
    purpose: binding.purpose,
    userId: 'userId' in binding ? binding.userId : null,
    sessionHash: 'sessionToken' in binding ? hashToken(binding.sessionToken) : null,
  };
}

/** Uses a challenge up; returns whether it was there. Of concurrent uses one succeeds. */
export async function consumeChallenge(
  { orm }: Handle,
  challenge: string,
  binding: Binding,
): Promise<boolean> {
  const { purpose, userId, sessionHash } = columnsOf(binding);
  const consumed = await orm
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.hash, hashToken(challenge)),
        eq(passkeyChallenges.purpose, purpose),
        userId === null ? isNull(passkeyChallenges.userId) : eq(passkeyChallenges.userId, userId),
        sessionHash === null
          ? isNull(passkeyChallenges.sessionHash)
          : eq(passkeyChallenges.sessionHash, sessionHash),
        isValid(),
      ),
    );
  return consumed.count === 1;
}

/** The id of the user whose password was right; null when the ticket is used up or too old. */
export async function findTicket({ orm }: Handle, ticket: string): Promise<number | null> {
  const [row] = await orm
    .select({ userId: passkeyChallenges.userId })
    .from(passkeyChallenges)
    .where(
      and(eq(passkeyChallenges.hash, hashToken(ticket)), eq(passkeyChallenges.purpose, 'ticket'), isValid()),
    );
  return row?.userId ?? null;
}

/** Discards the challenges of a user, and the tickets of their logins. */
export async function discardChallenges({ orm }: Handle, userId: number): Promise<void> {
  await orm.delete(passkeyChallenges).where(eq(passkeyChallenges.userId, userId));
}

function isValid(): SQL {
  return gt(passkeyChallenges.expiresAt, sql`now()`);
}
