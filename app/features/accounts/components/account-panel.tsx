import { LogOut } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import * as z from 'zod/mini';
import { requestLogOut, saveAccount } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { useUsernameCheck } from '#app/features/accounts/hooks/use-username-check.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/field.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { type UpdateUserInput, type User, updateUserSchema } from '#shared/accounts/schema.ts';
import { EmailField, UsernameField } from './account-fields.tsx';
import { VerifyNote } from './verify-note.tsx';

type AccountFields = Pick<User, 'username' | 'email'>;

/** Only what was changed here: the other field may have been changed on another device meanwhile. */
function changedFields(saved: AccountFields, { username, email }: UpdateUserInput): UpdateUserInput {
  return {
    ...(username === undefined || username === saved.username ? {} : { username }),
    ...(email === undefined || email === saved.email ? {} : { email }),
  };
}

export function AccountPanel({ user }: { user: User }) {
  const [saved, setSaved] = useState<AccountFields>({ username: user.username, email: user.email });
  const form = useForm({
    initial: saved,
    parse: (values) => z.safeParse(updateUserSchema, values),
    validate: () =>
      availability === 'unavailable' ? [{ path: 'username', message: `${username} is taken` }] : [],
    send: async (input) => {
      await saveAccount(user.id, changedFields(saved, input));
      setSaved({ username: input.username ?? saved.username, email: input.email ?? saved.email });
    },
    describeError: errorMessage,
  });
  const { availability, username } = useUsernameCheck(form.values.username, saved.username);
  function submit(event: FormEvent) {
    dismissTopic('account');
    form.onSubmit(event);
  }

  const isNewEmail = form.values.email.trim() !== saved.email;
  return (
    <Panel title="Account Information">
      <form ref={form.ref} onSubmit={submit} noValidate className="grid gap-4">
        <UsernameField {...form.field('username')} availability={availability} username={username} />
        <EmailField
          {...form.field('email')}
          hint={isNewEmail && 'A new email has to be verified. We will send it a link.'}
        />
        {!user.isVerified && !isNewEmail && <VerifyNote user={user} />}
        {form.formError !== null && <FormError>{form.formError}</FormError>}
        <OfflineNotice>There is no connection. Saving needs one.</OfflineNotice>
        <PrimaryButton type="submit" disabled={form.isSending}>
          {form.isSending ? 'Saving…' : 'Save Changes'}
        </PrimaryButton>
      </form>
    </Panel>
  );
}

export function DangerZone() {
  return (
    <Panel title="Danger Zone">
      <p className="text-body text-muted">
        Logging out clears this device. If changes are waiting to be sent, we ask you first.
      </p>
      <SecondaryButton className="min-h-12 text-error" onClick={() => void requestLogOut()}>
        <Icon icon={LogOut} /> Logout
      </SecondaryButton>
    </Panel>
  );
}
