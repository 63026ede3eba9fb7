import { LogOut } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import * as z from 'zod/mini';
import { saveAccount } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { usernameIssues, useUsernameCheck } from '#app/features/accounts/hooks/use-username-check.ts';
import { requestLogout } from '#app/features/accounts/lib/log-out.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { isAdmin } from '#shared/accounts/rules.ts';
import { type UpdateUserInput, type User, updateUserSchema } from '#shared/accounts/schema.ts';
import { EmailField, PasswordField, UsernameField } from './account-fields.tsx';
import { DeleteAccountButton } from './leaving/delete-account.tsx';
import { VerifyNote } from './verify-note.tsx';

type AccountFields = Pick<User, 'username' | 'email'>;

/** The fields that were edited here. The others are left out: another device may have changed them since. */
function changedFields(
  saved: AccountFields,
  { username, email, currentPassword }: UpdateUserInput,
): UpdateUserInput {
  const isEmailEdited = email !== undefined && email !== saved.email;
  return {
    ...(username === undefined || username === saved.username ? {} : { username }),
    ...(isEmailEdited ? { email, currentPassword } : {}),
  };
}

export function AccountPanel({ user }: { user: User }) {
  // The email is the requested one while a change is pending.
  const latest: AccountFields = { username: user.username, email: user.pendingEmail ?? user.email };
  /**
   * The values with which the fields are compared: `latest` of the previous rendering, so that a change made elsewhere is noticed
   * below.
   */
  const [saved, setSaved] = useState(latest);
  // Entering the email that is still in use only cancels a pending change. That needs no password.
  const isNewEmail = (email: string) => ![saved.email, user.email].includes(email.trim());
  const form = useForm({
    initial: { ...saved, currentPassword: '' },
    parse: (values) => z.safeParse(updateUserSchema, values),
    validate: ({ email, currentPassword }) => [
      ...usernameIssues(check),
      ...(isNewEmail(email) && currentPassword === ''
        ? [{ path: 'currentPassword', message: 'Enter your current password' }]
        : []),
    ],
    send: async (input) => {
      await saveAccount(user.id, changedFields(saved, input));
      form.fill({ currentPassword: '' });
    },
  });
  // Username or email may have been changed on another device. Fields that are being edited here keep what was typed.
  if (saved.username !== latest.username || saved.email !== latest.email) {
    setSaved(latest);
    const typedEmail = form.values.email.trim();
    form.fill({
      ...(form.values.username.trim() === saved.username ? { username: latest.username } : {}),
      ...(typedEmail === saved.email ? { email: latest.email } : {}),
      // The typed email is the saved one now, so no password is needed. After a lost response, `send` does not clear it.
      ...(typedEmail === latest.email ? { currentPassword: '' } : {}),
    });
  }
  const check = useUsernameCheck(form.values.username, saved.username);
  const isEmailEdited = form.values.email.trim() !== saved.email;
  const isNewEmailTyped = isNewEmail(form.values.email);
  const isEdited = isEmailEdited || form.values.username.trim() !== saved.username;
  const isVerificationPending = !user.isVerified || user.pendingEmail !== undefined;

  function submit(event: FormEvent) {
    // Unlike a disabled button, `aria-disabled` lets Enter submit the form.
    if (!isEdited) return event.preventDefault();
    dismissTopic('account');
    form.onSubmit(event);
  }

  return (
    <Panel title="Account Information">
      <form ref={form.ref} onSubmit={submit} noValidate>
        <FocusFallback className="grid gap-4">
          {/* The error may be that the username was taken since the check. */}
          <UsernameField {...form.field('username')} check={form.formError === null ? check : null} />
          <EmailField
            {...form.field('email')}
            hint={isNewEmailTyped && 'You will have to verify your new email. We will send a link to it.'}
          />
          {isNewEmailTyped && (
            <PasswordField
              {...form.field('currentPassword')}
              label="Current password"
              autoComplete="current-password"
            />
          )}
          {isVerificationPending && !isEmailEdited && <VerifyNote user={user} />}
          <OnlineButtons
            error={isEdited ? form.formError : null}
            offline="You are offline. Connect to save changes."
          >
            <PrimaryButton type="submit" aria-disabled={form.isSending || !isEdited}>
              {form.isSending ? 'Saving…' : 'Save Changes'}
            </PrimaryButton>
          </OnlineButtons>
        </FocusFallback>
      </form>
    </Panel>
  );
}

export function DangerZone({ user }: { user: User }) {
  return (
    <Panel title="Danger Zone">
      <p className="text-body text-muted">
        Logging out removes your data from this device. If changes are waiting to be sent, we will ask you
        first.
      </p>
      <SecondaryButton className="min-h-12 text-error" onClick={() => void requestLogout()}>
        <Icon icon={LogOut} /> Logout
      </SecondaryButton>
      {!isAdmin(user) && <DeleteAccountButton user={user} />}
    </Panel>
  );
}
