import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { USERNAME_CHECK_DEBOUNCE_MS } from '#shared/accounts/constants.ts';
import { checkUsername } from '#shared/accounts/contract.ts';
import { usernameSchema } from '#shared/accounts/schema.ts';

export type Availability = 'idle' | 'checking' | 'available' | 'unavailable' | 'unknown';

/**
 * Whether a username is free, asked half a second after the last key, from 3 characters on. The person's `own`
 * name is theirs, whatever its case.
 */
export function useUsernameCheck(typed: string, own = ''): { availability: Availability; username: string } {
  const [answer, setAnswer] = useState<{ username: string; availability: Availability } | null>(null);
  const username = typed.trim();
  const isOwn = username.toLowerCase() === own.toLowerCase();
  const isAskable = !isOwn && usernameSchema.safeParse(username).success;

  useEffect(() => {
    if (!isAskable) return;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      setAnswer({ username, availability: 'checking' });
      request(checkUsername, { params: { username }, signal: asking.signal }).then(
        ({ available }) => setAnswer({ username, availability: available ? 'available' : 'unavailable' }),
        (error: unknown) => {
          if (asking.signal.aborted) return;
          // Who types fast has to wait for the next check; that is no error of theirs.
          const isTooOften = codeOf(error) === 'rate_limited';
          setAnswer({ username, availability: isTooOften ? 'idle' : 'unknown' });
        },
      );
    }, USERNAME_CHECK_DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [username, isAskable]);

  const isAnswered = isAskable && answer?.username === username;
  return { username, availability: isAnswered ? answer.availability : 'idle' };
}
