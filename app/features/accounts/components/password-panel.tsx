import { Mail } from 'lucide-react';
import * as z from 'zod/mini';
import { changePassword } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { changePasswordSchema, type User } from '#shared/accounts/schema.ts';
import { PasswordField } from './account-fields.tsx';
import { NewPasswordField } from './new-password-field.tsx';

type PasswordPanelProps = {
  user: User;
  /** Called after the password was changed, which ended the other sessions. */
  onSessionsEnded(): void;
};

export function PasswordPanel({ user, onSessionsEnded }: PasswordPanelProps) {
  const form = useForm({
    initial: { currentPassword: '', newPassword: '' },
    parse: (values) => z.safeParse(changePasswordSchema, values),
    send: async (input) => {
      await changePassword(user.id, input);
      form.fill({ currentPassword: '', newPassword: '' });
      onSessionsEnded();
    },
  });
  return (
    <Panel title="Password">
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <PasswordField
          {...form.field('currentPassword')}
          label="Current password"
          autoComplete="current-password"
        />
        <NewPasswordField {...form.field('newPassword')} label="New password" account={user} />
        <OnlineButtons error={form.formError} offline="You are offline. Connect to change your password.">
          <PrimaryButton type="submit" aria-disabled={form.isSending}>
            {form.isSending ? 'Saving…' : 'Change password'}
          </PrimaryButton>
        </OnlineButtons>
        <p className="flex gap-2 text-muted text-small">
          <Icon icon={Mail} size={16} />
          <span className="wrap-anywhere min-w-0">
            Your other devices will be logged out, and we will send an email to {user.email}.
            {user.pendingEmail !== undefined &&
              ` A new password also withdraws the change of your email to ${user.pendingEmail}.`}
          </span>
        </p>
      </form>
    </Panel>
  );
}
