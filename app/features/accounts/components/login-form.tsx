import { useState } from 'react';
import * as z from 'zod/mini';
import { logIn } from '#app/features/accounts/actions.ts';
import { ForgotPassword } from '#app/features/accounts/components/mail/forgot-password.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { loginInputSchema } from '#shared/accounts/schema.ts';
import { LoginField, PasswordField } from './account-fields.tsx';

export function LoginForm() {
  const [isResetOpen, setResetOpen] = useState(false);
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => z.safeParse(loginInputSchema, values),
    send: logIn,
  });
  // `dialog` does nothing here: submitted before the app runs, the form must not put the password into the address.
  return (
    <>
      <form ref={form.ref} method="dialog" onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <LoginField {...form.field('username')} label="Username or email" />
        <PasswordField
          {...form.field('password')}
          autoComplete="current-password"
          labelAction={
            <button
              type="button"
              onClick={() => setResetOpen(true)}
              className="-my-3 min-h-11 cursor-pointer font-semibold text-small underline"
            >
              Forgot password?
            </button>
          }
        />
        <PrimaryButton type="submit" disabled={form.isSending} className="mt-1">
          {form.isSending ? 'Logging in…' : 'Log In'}
        </PrimaryButton>
      </form>
      <ForgotPassword
        initialLogin={form.values.username.trim()}
        isOpen={isResetOpen}
        onClose={() => setResetOpen(false)}
      />
    </>
  );
}
