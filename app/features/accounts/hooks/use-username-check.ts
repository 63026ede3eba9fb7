import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { USERNAME_CHECK_DEBOUNCE_MS, USERNAME_MIN_LENGTH } from '#shared/accounts/constants.ts';
import { checkUsername } from '#shared/accounts/contract.ts';
import { usernameSchema } from '#shared/accounts/schema.ts';

/** `message`: what the form shows next to the field. */
export type UsernameCheck = {
  availability: 'checking' | 'available' | 'unavailable' | 'unknown';
  message: string;
};

/**
 * Checks whether a username can be used: on the device whether it is valid, and on the server, debounced, whether it is
 * available. Null while there is no result, and for the user's current name.
 */
export function useUsernameCheck(typed: string, currentUsername = ''): UsernameCheck | null {
  const [result, setResult] = useState<(UsernameCheck & { username: string }) | null>(null);
  const username = typed.trim();
  const isUnchanged = username.toLowerCase() === currentUsername.toLowerCase();
  const { success: isValid, error } = usernameSchema.safeParse(username);
  const shouldCheck = !isUnchanged && isValid;
  const currentResult = result?.username === username ? result : null;
  // A failed check is repeated once the server is reachable again.
  const isReachable = useReachable();
  const isPaused = !isReachable && currentResult?.availability === 'unknown';

  useEffect(() => {
    if (!shouldCheck || isPaused) return;
    const controller = new AbortController();
    const show = (availability: UsernameCheck['availability'], message: string) =>
      setResult({ username, availability, message });
    const timer = setTimeout(() => {
      show('checking', 'Checking…');
      request(checkUsername, { params: { username }, signal: controller.signal }).then(
        ({ available, message }) =>
          available ? show('available', `${username} is available`) : show('unavailable', message),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          // A rate limit is not an error for the user: the username is checked again when the form is sent.
          const isRateLimited = codeOf(error) === 'rate_limited';
          show('unknown', isRateLimited ? 'Not checked yet' : 'Error checking username availability');
        },
      );
    }, USERNAME_CHECK_DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [username, shouldCheck, isPaused]);

  if (shouldCheck) return currentResult;
  const issue = error?.issues[0];
  // While a name is typed, it is not called too short.
  return isUnchanged || issue === undefined || username.length < USERNAME_MIN_LENGTH
    ? null
    : { availability: 'unavailable', message: issue.message };
}

/** The issue of a form whose username cannot be used. */
export function usernameIssues(check: UsernameCheck | null) {
  return check?.availability === 'unavailable' ? [{ path: 'username', message: check.message }] : [];
}
