import type { Handle } from '#api/db/client.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import { type UsernameAvailabilityResponse, usernameSchema } from '#shared/accounts/schema.ts';
import { isReservedUsername } from '#shared/accounts/username-rules.ts';
import { isUsernameTaken } from './queries.ts';
import { USERNAME_RESERVED_MESSAGE } from './register.ts';

/**
 * Whether a username is available to `user` (null for a visitor), with the message that the form shows beside the field.
 * Reserved usernames are available only to administrators.
 */
export async function checkUsername(
  handle: Handle,
  username: string,
  user: UserRow | null,
): Promise<UsernameAvailabilityResponse> {
  const parsed = usernameSchema.safeParse(username);
  if (!parsed.success) {
    return { available: false, message: parsed.error.issues[0]?.message ?? 'This username cannot be used' };
  }
  if (isReservedUsername(parsed.data) && !(user && isAdmin(user))) {
    return { available: false, message: USERNAME_RESERVED_MESSAGE };
  }
  return (await isUsernameTaken(handle, parsed.data))
    ? { available: false, message: 'Username is already taken' }
    : { available: true, message: 'Username is available' };
}
