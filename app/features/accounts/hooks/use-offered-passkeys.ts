import { useEffect } from 'react';
import { offerPasskeys } from '#app/features/accounts/actions.ts';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { hasPasskeys } from '#app/lib/browser/has-passkeys.ts';
import { useReachable } from '#app/lib/engine/online.ts';

async function isFieldSupported(): Promise<boolean> {
  if (!hasPasskeys() || !('isConditionalMediationAvailable' in PublicKeyCredential)) return false;
  return PublicKeyCredential.isConditionalMediationAvailable();
}

/** Has the browser offer passkeys in the field with `autocomplete="username webauthn"`, as long as it is shown and there is a connection. */
export function useOfferedPasskeys(isOffered: boolean): void {
  const isReachable = useReachable();
  useEffect(() => {
    if (!isReachable || !isOffered) return;
    const end = new AbortController();
    void afterLoad
      .then(isFieldSupported)
      .then((isSupported) => (isSupported && !end.signal.aborted ? offerPasskeys(end.signal) : undefined))
      // There is the button, too; a login that failed has said so.
      .catch(() => undefined);
    return () => end.abort();
  }, [isReachable, isOffered]);
}
