import { lazy, useState } from 'react';
import * as z from 'zod/mini';
import { logIn } from '#app/features/auth/actions.ts';
import { showToast } from '#app/lib/toasts.ts';
import { Field } from '#app/ui/field.tsx';
import { Key } from '#app/ui/key.tsx';
import { Optional } from '#app/ui/optional.tsx';
import { loginInputSchema } from '#shared/auth/schema.ts';
import { PasswordField } from './password-field.tsx';
import { useForm } from './use-form.ts';

const ForgotPasswordDialog = lazy(() => import('./forgot-password-dialog.tsx'));

/** `hasForgotten`: starts with the dialog for a new password. */
export function LoginForm({ hasForgotten }: { hasForgotten: boolean }) {
  const [isAsking, setAsking] = useState(hasForgotten);
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => z.safeParse(loginInputSchema, values),
    send: logIn,
  });

  function lose() {
    setAsking(false);
    showToast('bad', 'That could not be loaded', 'Check your connection and reload the page.', 'auth');
  }

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
      {isAsking && (
        <Optional onLost={lose}>
          <ForgotPasswordDialog typed={form.values.username.trim()} onClose={() => setAsking(false)} />
        </Optional>
      )}
    </>
  );
}
