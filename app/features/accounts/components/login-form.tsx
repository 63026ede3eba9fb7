import { useState } from 'react';
import * as z from 'zod/mini';
import { logIn } from '#app/features/accounts/actions.ts';
import { ForgotPassword } from '#app/features/accounts/components/mail/forgot-password.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { Key } from '#app/ui/button.tsx';
import { Field } from '#app/ui/field.tsx';
import { loginInputSchema } from '#shared/accounts/schema.ts';
import { PasswordField } from './password-field.tsx';

export function LoginForm() {
  const [isAsking, setAsking] = useState(false);
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => z.safeParse(loginInputSchema, values),
    send: logIn,
  });
  return (
    <>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <Field
          {...form.field('username')}
          label="Username or email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField
          {...form.field('password')}
          autoComplete="current-password"
          aside={
            <button
              type="button"
              onClick={() => setAsking(true)}
              className="-my-3 min-h-11 cursor-pointer font-semibold text-small underline"
            >
              Forgot password?
            </button>
          }
        />
        <Key type="submit" disabled={form.isSending} className="mt-1">
          {form.isSending ? 'Logging in…' : 'Log In'}
        </Key>
      </form>
      <ForgotPassword
        typed={form.values.username.trim()}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
