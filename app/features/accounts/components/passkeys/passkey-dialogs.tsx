import { Trash2 } from 'lucide-react';
import { useCallback } from 'react';
import * as z from 'zod/mini';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { type Passkey, readPasskeys } from '#app/features/accounts/lib/passkeys.ts';
import { useAsync } from '#app/lib/use-async.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Field } from '#app/ui/forms/field.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { type PasskeyList, renamePasskeySchema } from '#shared/accounts/passkeys/schema.ts';

type RenameProps = { passkey: Passkey; onRename(name: string): void; onClose(): void };

export function RenamePasskeyDialog({ passkey, onRename, onClose }: RenameProps) {
  const form = useForm({
    initial: { name: passkey.name },
    parse: (values) => z.safeParse(renamePasskeySchema, values),
    send: async ({ name }) => onRename(name),
  });
  return (
    <SheetDialog title="Name this passkey" onClose={onClose}>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <Field
          {...form.field('name')}
          label="Name"
          hint="For example “My phone” or “Blue security key”"
          autoComplete="off"
          data-first-focus
        />
        <div className="grid gap-2">
          <PrimaryButton type="submit">Save</PrimaryButton>
          <SecondaryButton ghost className="min-h-12" onClick={onClose}>
            Cancel
          </SecondaryButton>
        </div>
      </form>
    </SheetDialog>
  );
}

type RemoveProps = {
  passkey: Passkey;
  userId: number;
  /** The panel's list, used until the current one has loaded. */
  list: PasskeyList;
  onRemove(): void;
  onClose(): void;
};

export function RemovePasskeyDialog({ passkey, userId, list: loaded, onRemove, onClose }: RemoveProps) {
  // The warning depends on the passkeys removed on other devices.
  const load = useCallback(() => readPasskeys(userId), [userId]);
  const list = useAsync(load, null) ?? loaded;
  const isLast = !list.passkeys.some(({ id }) => id !== passkey.id);
  return (
    <SheetDialog title={`Remove ${passkey.name}?`} onClose={onClose}>
      <p className="pb-2 text-body text-muted">
        You will no longer be able to log in with it, and other devices that logged in with it will be logged
        out. Delete it from your device too, or it will still be offered there.
        {isLast && list.secondStep && (
          <strong className="block pt-2 text-base-content">{lastPasskeyWarning(list)}</strong>
        )}
      </p>
      <SecondaryButton className="min-h-12 text-error" onClick={onRemove}>
        <Icon icon={Trash2} /> Remove
      </SecondaryButton>
      <SecondaryButton ghost className="min-h-12" onClick={onClose}>
        Cancel
      </SecondaryButton>
    </SheetDialog>
  );
}

function lastPasskeyWarning({ secondStepRequired }: PasskeyList): string {
  return secondStepRequired
    ? 'It is your last one: you will not be able to open the admin tools until you add another, and your recovery codes will stop working.'
    : 'It is your last one: the second step will be turned off, and your recovery codes will stop working.';
}
