import * as z from 'zod/mini';
import { logIn } from '#app/features/auth/actions.ts';
import { Field } from '#app/ui/field.tsx';
import { Key } from '#app/ui/key.tsx';
import { loginInputSchema } from '#shared/auth/schema.ts';
import { PasswordField } from './password-field.tsx';
import { useForm } from './use-form.ts';

export function LoginForm() {
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => z.safeParse(loginInputSchema, values),
    send: logIn,
  });
  return (
    <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
      <Field
        {...form.field('username')}
        label="Username or email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField {...form.field('password')} autoComplete="current-password" />
      <Key type="submit" disabled={form.isSending} className="mt-1">
        {form.isSending ? 'Logging in…' : 'Log In'}
      </Key>
    </form>
  );
}
