import { useEffect } from 'react';
import { offerPasskeys } from '#app/features/accounts/actions.ts';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { useReachable } from '#app/lib/engine/online.ts';

async function isConditionalUiSupported(): Promise<boolean> {
  if (!arePasskeysSupported() || !('isConditionalMediationAvailable' in PublicKeyCredential)) return false;
  return PublicKeyCredential.isConditionalMediationAvailable();
}

/**
 * Conditional UI: lets the browser offer passkeys in the field with `autocomplete="username webauthn"`, until the user chooses one
 * or the offer fails; at most while the component is mounted, `isOffered` is true and the server is reachable.
 */
export function useOfferedPasskeys(isOffered: boolean): void {
  const isReachable = useReachable();
  useEffect(() => {
    if (!isReachable || !isOffered) return;
    const controller = new AbortController();
    void afterLoad
      .then(isConditionalUiSupported)
      .then((isSupported) =>
        isSupported && !controller.signal.aborted ? offerPasskeys(controller.signal) : undefined,
      )
      // A failed login has shown a toast. After any other error the passkey button is still there.
      .catch(() => undefined);
    return () => controller.abort();
  }, [isReachable, isOffered]);
}
