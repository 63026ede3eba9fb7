import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConfirmation } from '#app/features/accounts/hooks/use-confirmation.tsx';
import * as passkeys from '#app/features/accounts/lib/passkeys.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Icon, PageSpinner } from '#app/ui/icon.tsx';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import type { User } from '#shared/accounts/schema.ts';

type Props = {
  user: User;
  /** Called with new recovery codes, which an administrator without any gets. */
  onRecoveryCodes(codes: readonly string[]): void;
  onDone(): void;
};

/** Shown where administration requires a passkey: administrators add their first passkey, or confirm with an existing one. */
export default function AdminPasskey({ user, onRecoveryCodes, onDone }: Props) {
  const [list, setList] = useState<PasskeyList | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** Whether new recovery codes were requested and did not arrive. */
  const areCodesMissing = useRef(false);
  const hasPasskey = (list?.passkeys.length ?? 0) > 0;
  const { runConfirmed, dialog } = useConfirmation({ userId: user.id, hasPasskey });

  // Try again removes the error, and so loads the list again.
  const isLoading = list === null && error === null;
  useEffect(() => {
    if (!isLoading) return;
    passkeys
      .readPasskeys(user.id)
      .then(setList, (cause: unknown) => setError(passkeys.failureMessage(cause)));
  }, [user.id, isLoading]);

  async function confirmIdentity() {
    if (!(await passkeys.confirmWithPasskey(user.id))) return;
    // There are no recovery codes yet if the passkey was added but the response was lost.
    if (areCodesMissing.current || list?.recoveryCodesLeft === 0) await makeRecoveryCodes();
    else onDone();
  }

  async function addFirstPasskey() {
    const added = await runConfirmed(() => passkeys.addPasskey(user.id));
    if (added === null) return;
    setList(added);
    await makeRecoveryCodes();
  }

  async function makeRecoveryCodes() {
    areCodesMissing.current = true;
    const { recoveryCodes } = await passkeys.renewRecoveryCodes(user.id);
    areCodesMissing.current = false;
    onRecoveryCodes(recoveryCodes);
  }

  async function run(work: () => Promise<void>) {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (cause) {
      setError(passkeys.failureMessage(cause));
      // The passkey may have been added nevertheless.
      await passkeys.readPasskeys(user.id).then(setList, () => undefined);
    }
    setBusy(false);
  }

  if (isLoading) return <PageSpinner />;
  if (list === null) {
    return (
      <MessageScreen title="Your passkeys could not be loaded" text={error ?? ''}>
        <PrimaryButton onClick={() => setError(null)}>Try again</PrimaryButton>
      </MessageScreen>
    );
  }
  return (
    <MessageScreen
      title={hasPasskey ? 'Use your passkey' : 'Add a passkey first'}
      text={
        hasPasskey
          ? 'Use your passkey in this browser to open the admin tools.'
          : 'Administrators need a passkey. From then on, you will be asked for it after your password at each login.'
      }
      isAlert={false}
    >
      {error !== null && <FormError>{error}</FormError>}
      {arePasskeysSupported() ? (
        <PrimaryButton
          aria-disabled={isBusy}
          onClick={() => isBusy || void run(hasPasskey ? confirmIdentity : addFirstPasskey)}
        >
          <Icon icon={KeyRound} /> {hasPasskey ? 'Use a passkey' : 'Add a passkey'}
        </PrimaryButton>
      ) : (
        <p className="text-body">This browser cannot use passkeys. Open this page in another one.</p>
      )}
      {dialog}
    </MessageScreen>
  );
}
