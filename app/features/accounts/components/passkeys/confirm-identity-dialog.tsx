import * as z from 'zod/mini';
import { PasswordField } from '#app/features/accounts/components/account-fields.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import {
  confirmWithPasskey,
  confirmWithPassword,
  failureMessage,
} from '#app/features/accounts/lib/passkeys.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { PasskeyButton } from './passkey-button.tsx';

type Props = { userId: number; hasPasskey: boolean; onConfirm(): void; onClose(): void };

const inputSchema = z.object({
  currentPassword: z.string().check(z.minLength(1, 'Enter your current password')),
});

/** Confirms the session by password or passkey, before a change to passkeys or the second step. */
export function ConfirmIdentityDialog({ userId, hasPasskey, onConfirm, onClose }: Props) {
  const form = useForm({
    initial: { currentPassword: '' },
    parse: (values) => z.safeParse(inputSchema, values),
    send: async ({ currentPassword }) => {
      await confirmWithPassword(userId, currentPassword);
      onConfirm();
    },
  });
  const canUsePasskey = hasPasskey && arePasskeysSupported();

  async function submitPasskey() {
    form.showError(null);
    try {
      if (await confirmWithPasskey(userId)) onConfirm();
    } catch (failure) {
      form.showError(failureMessage(failure));
    }
  }

  return (
    <SheetDialog title="Confirm it is you" onClose={onClose}>
      <p className="pb-2 text-body text-muted">
        Enter your password{canUsePasskey && ' or use a passkey'}. You will not be asked again for five
        minutes.
      </p>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <PasswordField
          {...form.field('currentPassword')}
          label="Current password"
          autoComplete="current-password"
          data-first-focus
        />
        {form.formError !== null && <FormError>{form.formError}</FormError>}
        <OfflineNotice>You are offline. Connect to continue.</OfflineNotice>
        <div className="grid gap-2">
          <PrimaryButton type="submit" aria-disabled={form.isSending}>
            {form.isSending ? 'One moment…' : 'Confirm'}
          </PrimaryButton>
          {canUsePasskey && <PasskeyButton label="Use a passkey" onPress={submitPasskey} />}
          <SecondaryButton ghost className="min-h-12" onClick={onClose}>
            Cancel
          </SecondaryButton>
        </div>
      </form>
    </SheetDialog>
  );
}
