import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConfirmation } from '#app/features/accounts/hooks/use-confirmation.tsx';
import * as passkeys from '#app/features/accounts/lib/passkeys.ts';
import {
  areCodesUnseen,
  rememberKnownCodes,
  rememberKnownCodesDuring,
  showRecoveryCodes,
  useRecoveryCodes,
} from '#app/features/accounts/lib/recovery-codes.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Icon, PageSpinner } from '#app/ui/icon.tsx';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import type { User } from '#shared/accounts/schema.ts';

type Props = {
  user: User;
  /** Called after a confirmation, unless it has made recovery codes: the route shows those in place of this screen. */
  onDone(): void;
};

/** Shown where administration requires a passkey: administrators add their first passkey, or confirm with an existing one. */
export default function AdminPasskey({ user, onDone }: Props) {
  const [list, setList] = useState<PasskeyList | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const recoveryCodes = useRecoveryCodes(user.id);
  const hasPasskey = (list?.passkeys.length ?? 0) > 0;
  const { runConfirmed, confirmationDialog } = useConfirmation({ userId: user.id, hasPasskey });

  // Try again removes the error, and so loads the list again.
  const isLoading = list === null && error === null;
  useEffect(() => {
    if (!isLoading) return;
    passkeys
      .readPasskeys(user.id)
      .then(setList, (cause: unknown) => setError(passkeys.failureMessage(cause)));
  }, [user.id, isLoading]);

  async function confirmIdentity(loaded: PasskeyList) {
    if (!(await passkeys.confirmWithPasskey(user.id))) return;
    // There are no recovery codes yet if the passkey was added but the response was lost.
    if (loaded.recoveryCodesLeft === 0 || areCodesUnseen(recoveryCodes, loaded))
      await makeRecoveryCodes(loaded);
    else onDone();
  }

  async function addFirstPasskey(loaded: PasskeyList) {
    const added = await runConfirmed(() =>
      rememberKnownCodesDuring(user.id, loaded, () => passkeys.addPasskey(user.id)),
    );
    if (added === null) return;
    setList(added);
    await makeRecoveryCodes(loaded);
  }

  async function makeRecoveryCodes(loaded: PasskeyList) {
    rememberKnownCodes(user.id, loaded);
    showRecoveryCodes(user.id, (await passkeys.renewRecoveryCodes(user.id)).recoveryCodes);
  }

  async function run(work: (loaded: PasskeyList) => Promise<void>, loaded: PasskeyList) {
    setBusy(true);
    setError(null);
    try {
      await work(loaded);
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
          onClick={() => isBusy || void run(hasPasskey ? confirmIdentity : addFirstPasskey, list)}
        >
          <Icon icon={KeyRound} /> {hasPasskey ? 'Use a passkey' : 'Add a passkey'}
        </PrimaryButton>
      ) : (
        <p className="text-body">This browser cannot use passkeys. Open this page in another one.</p>
      )}
      {confirmationDialog}
    </MessageScreen>
  );
}
