import { and, eq, ne, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { userChanged } from '#api/live/live-events.ts';

/** Switches the weekly mail on or off. Returns whether this has changed the setting. */
export async function switchWeeklyMail(
  { orm }: Handle,
  { userId, isOn }: { userId: number; isOn: boolean },
): Promise<boolean> {
  const { count } = await orm
    .update(users)
    .set({ wantsDigest: isOn, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, userId), ne(users.wantsDigest, isOn)));
  return count > 0;
}

/** Switches the weekly mail off. Needs no login: the token of the mail's link identifies the user. Throws `invalid_token`. */
export async function unsubscribe(
  { db, live, unsubscribeLinks }: Pick<Deps, 'db' | 'live' | 'unsubscribeLinks'>,
  token: string,
): Promise<{ message: string }> {
  const userId = unsubscribeLinks.userIdOf(token);
  if (userId === null) throw new AppError('invalid_token');
  if (await switchWeeklyMail(db, { userId, isOn: false })) {
    const user = await findUser(db, userId);
    if (user !== null) live.publish(userChanged(userId, user));
  }
  return { message: 'You will no longer get the weekly email. You can turn it back on in Settings.' };
}
