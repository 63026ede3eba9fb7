import { Clock, Trash2 } from 'lucide-react';
import { useCallback, useId, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { cancelDeletion, requestDeletion } from '#app/features/accounts/actions.ts';
import { PasswordField } from '#app/features/accounts/components/account-fields.tsx';
import { PasskeyButton } from '#app/features/accounts/components/passkeys/passkey-button.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import {
  failureMessage,
  getConfirmationAssertion,
  readPasskeys,
} from '#app/features/accounts/lib/passkeys.ts';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { dayLabel } from '#app/lib/time.ts';
import { useAsync } from '#app/lib/use-async.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';
import { DELETION_DELAY_DAYS } from '#shared/accounts/constants.ts';
import { type DeletionInput, deletionInputSchema, type User } from '#shared/accounts/schema.ts';

type PollHandling = DeletionInput['polls'];

/** What can be done with the user's polls: the label and a note about its consequence. */
const POLL_CHOICES: Readonly<Record<PollHandling, readonly [label: string, note: string]>> = {
  keep: ['Keep them, without my name', 'People who voted can still see the results'],
  remove: ['Delete them, with their images', 'Nobody will be able to see them'],
};

const OFFLINE = 'You are offline. Connect to delete your account.';
const MAY_BE_SCHEDULED =
  'You are offline. The deletion may be scheduled already: connect, then open the settings to keep your account.';

/** The button that opens the dialog for deleting the account, and the dialog. */
export function DeleteAccountButton({ user }: { user: User }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {user.deletion === undefined && (
        <OnlineButtons offline={OFFLINE}>
          <SecondaryButton ghost className="min-h-12 text-error" onClick={() => setOpen(true)}>
            <Icon icon={Trash2} /> Delete my account
          </SecondaryButton>
        </OnlineButtons>
      )}
      {/* Also after a lost response, when the app learns that the deletion was scheduled. */}
      {isOpen && <DeleteAccountDialog user={user} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeleteAccountDialog({ user, onClose }: { user: User; onClose(): void }) {
  const [polls, setPolls] = useState<PollHandling>('keep');
  const [isRequesting, setRequesting] = useState(false);
  const [mayBeScheduled, setMayBeScheduled] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  /** Whether the user has decided to keep the account; a passkey given after that deletes nothing. */
  const isKeeping = useRef(false);
  const [hasKeepingFailed, setKeepingFailed] = useState(false);
  const form = useForm({
    initial: { password: '' },
    parse: (values) => z.safeParse(deletionInputSchema, { ...values, polls }),
    validate: ({ password }) =>
      password === '' ? [{ path: 'password', message: 'Enter your password' }] : [],
    send: requestAndClose,
  });
  const hasPasskey = useHasPasskey(user.id);
  const isReachable = useReachable();

  /**
   * Cancels a deletion that may be scheduled, and closes the dialog. Closing the dialog in another way calls this, too, until it has
   * failed once: a dialog that cannot be closed would block the app.
   */
  async function keepAccount() {
    if (isRequesting) return;
    isKeeping.current = true;
    const needsCancellation = mayBeScheduled || user.deletion !== undefined;
    // Offline, the dialog has already said that the deletion may be scheduled.
    if (!needsCancellation || !isReachable) return onClose();
    form.showError(null);
    setRequesting(true);
    try {
      await cancelDeletion(user.id);
      onClose();
    } catch (error) {
      form.showError(errorMessage(error));
      setKeepingFailed(true);
    } finally {
      setRequesting(false);
    }
  }

  async function requestAndClose(input: DeletionInput) {
    if (isRequesting) return;
    setRequesting(true);
    await requestDeletion(user.id, input)
      .catch((error: unknown) => {
        if (mayHaveTakenEffect(error)) setMayBeScheduled(true);
        throw error;
      })
      .finally(() => setRequesting(false));
    onClose();
    // `DeletionNotice` is at the top of the page.
    scrollTo({ top: 0 });
  }

  async function requestWithPasskey() {
    if (isRequesting) return;
    isKeeping.current = false;
    form.showError(null);
    setConfirming(true);
    try {
      const passkey = await getConfirmationAssertion(user.id);
      // The user may have left the page, or pressed the button that keeps the account.
      const isWanted = form.ref.current !== null && !isKeeping.current;
      if (passkey !== null && isWanted) await requestAndClose({ passkey, polls });
    } catch (error) {
      form.showError(failureMessage(error));
    } finally {
      setConfirming(false);
    }
  }

  return (
    <SheetDialog
      title="Delete your account?"
      onClose={() => (hasKeepingFailed ? onClose() : void keepAccount())}
    >
      <p className="pb-2 text-body text-muted">
        You have {DELETION_DELAY_DAYS} days to change your mind. After that, your name, email and{' '}
        <Points user={user} /> are gone for good. Your votes will still count, anonymously.
      </p>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <PollChoice value={polls} isDisabled={form.isSending || isConfirming} onChange={setPolls} />
        <PasswordField {...form.field('password')} autoComplete="current-password" />
        <div className="grid gap-2">
          <SecondaryButton
            className="min-h-12"
            aria-disabled={isRequesting}
            onClick={() => void keepAccount()}
          >
            Keep my account
          </SecondaryButton>
          <OnlineButtons error={form.formError} offline={mayBeScheduled ? MAY_BE_SCHEDULED : OFFLINE}>
            <SecondaryButton ghost type="submit" className="min-h-12 text-error" aria-disabled={isRequesting}>
              <Icon icon={Trash2} /> {form.isSending ? 'One moment…' : 'Delete my account'}
            </SecondaryButton>
            {hasPasskey && (
              <PasskeyButton
                ghost
                label="Delete it with a passkey"
                className="text-error"
                onPress={requestWithPasskey}
              />
            )}
          </OnlineButtons>
        </div>
      </form>
    </SheetDialog>
  );
}

/** Whether the user has a passkey and this browser supports passkeys; false until that is known. */
function useHasPasskey(userId: number): boolean {
  const load = useCallback(
    async () => arePasskeysSupported() && (await readPasskeys(userId)).passkeys.length > 0,
    [userId],
  );
  // If the passkeys cannot be loaded, the password can still be used.
  return useAsync(load, false) ?? false;
}

type PollChoiceProps = { value: PollHandling; isDisabled: boolean; onChange(value: PollHandling): void };

function PollChoice({ value, isDisabled, onChange }: PollChoiceProps) {
  const id = useId();
  return (
    <fieldset className="grid gap-1" disabled={isDisabled}>
      <legend className="pb-1 font-semibold text-body">My polls</legend>
      {Object.entries(POLL_CHOICES).map(([choice, [label, note]]) => (
        <label
          key={choice}
          className="flex min-h-12 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 has-checked:bg-base-300"
        >
          <input
            type="radio"
            name={id}
            className="size-5 shrink-0 accent-base-content"
            checked={choice === value}
            onChange={() => onChange(choice as PollHandling)}
          />
          <span className="min-w-0">
            <span className="block font-semibold text-body">{label}</span>
            <span className="block text-muted text-small">{note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Says when the account will be deleted, with a button that cancels the deletion. Renders nothing without a deletion. */
export function DeletionNotice({ user }: { user: User }) {
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const { deletion } = user;
  if (deletion === undefined) return null;

  async function keepAccount() {
    setError(null);
    setSending(true);
    await cancelDeletion(user.id).catch((failure: unknown) => setError(errorMessage(failure)));
    setSending(false);
  }

  const pollsText =
    deletion.polls === 'keep'
      ? 'Your polls will be kept, without your name.'
      : 'Your polls will be deleted too.';
  return (
    <section
      aria-labelledby="deletion-title"
      className="rounded-card bg-neutral p-4 text-neutral-content **:outline-neutral-content"
    >
      <FocusFallback className="grid gap-4">
        <div className="flex items-start gap-3">
          <Icon icon={Clock} size={24} />
          <div className="min-w-0">
            <h2 id="deletion-title" className="text-question">
              Your account will be deleted on {dayLabel(deletion.dueAt)}
            </h2>
            <p className="wrap-anywhere text-body">
              {user.username} and <Points user={user} /> will be gone. {pollsText}
            </p>
          </div>
        </div>
        <OnlineButtons error={error} offline="You are offline. Connect to keep your account.">
          <PrimaryButton
            className="min-h-12"
            aria-disabled={isSending}
            onClick={() => isSending || void keepAccount()}
          >
            {isSending ? 'One moment…' : 'Keep my account'}
          </PrimaryButton>
        </OnlineButtons>
      </FocusFallback>
    </section>
  );
}

function Points({ user }: { user: User }) {
  return countLabel(usePoints()?.confirmed ?? user.points, 'point');
}
