import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { USERNAME_CHECK_DEBOUNCE_MS } from '#shared/accounts/constants.ts';
import { checkUsername } from '#shared/accounts/contract.ts';
import { usernameSchema } from '#shared/accounts/schema.ts';

export type Availability = 'idle' | 'checking' | 'available' | 'unavailable' | 'unknown';

/**
 * Checks on the server whether a valid username is available, debounced. The user's current name is not checked. `username` is
 * `typed` without surrounding spaces.
 */
export function useUsernameCheck(
  typed: string,
  currentUsername = '',
): { availability: Availability; username: string } {
  const [result, setResult] = useState<{ username: string; availability: Availability } | null>(null);
  const username = typed.trim();
  const isUnchanged = username.toLowerCase() === currentUsername.toLowerCase();
  const shouldCheck = !isUnchanged && usernameSchema.safeParse(username).success;

  useEffect(() => {
    if (!shouldCheck) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      setResult({ username, availability: 'checking' });
      request(checkUsername, { params: { username }, signal: controller.signal }).then(
        ({ available }) => setResult({ username, availability: available ? 'available' : 'unavailable' }),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          // Not an error for the user: the username is checked again when the form is sent.
          const isRateLimited = codeOf(error) === 'rate_limited';
          setResult({ username, availability: isRateLimited ? 'idle' : 'unknown' });
        },
      );
    }, USERNAME_CHECK_DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [username, shouldCheck]);

  const isCurrent = shouldCheck && result?.username === username;
  return { username, availability: isCurrent ? result.availability : 'idle' };
}
