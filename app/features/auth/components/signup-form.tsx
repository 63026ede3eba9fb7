import { CircleCheck, CircleX } from 'lucide-react';
import * as z from 'zod/mini';
import { signUp } from '#app/features/auth/actions.ts';
import { Field } from '#app/ui/field.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Key } from '#app/ui/key.tsx';
import { Turning } from '#app/ui/spinner.tsx';
import { PASSWORD_MIN_LENGTH } from '#shared/auth/constants.ts';
import { registerInputSchema } from '#shared/auth/schema.ts';
import { PasswordField } from './password-field.tsx';
import { useForm } from './use-form.ts';
import { type Availability, useUsernameCheck } from './use-username-check.ts';

export function SignupForm({ referralCode }: { referralCode: string | null }) {
  const form = useForm({
    initial: { username: '', email: '', password: '' },
    parse: (values) =>
      z.safeParse(registerInputSchema, referralCode === null ? values : { ...values, referralCode }),
    send: signUp,
  });
  const { availability, username } = useUsernameCheck(form.values.username);
  return (
    <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
      <Field
        {...form.field('username')}
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        isBad={availability === 'unavailable'}
        hint={<UsernameNote availability={availability} username={username} />}
      />
      <Field
        {...form.field('email')}
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField
        {...form.field('password')}
        autoComplete="new-password"
        hint={`min. ${PASSWORD_MIN_LENGTH} characters`}
      />
      <Key type="submit" disabled={form.isSending} className="mt-1">
        {form.isSending ? 'Creating your account…' : 'Create Account'}
      </Key>
    </form>
  );
}

function UsernameNote({ availability, username }: { availability: Availability; username: string }) {
  const line = 'flex items-center gap-1.5 font-semibold';
  switch (availability) {
    case 'idle':
      return null;
    case 'checking':
      return (
        <span className="flex items-center gap-1.5">
          <Turning size={16} />
          Checking…
        </span>
      );
    case 'available':
      return (
        <span className={`${line} text-success`}>
          <Icon of={CircleCheck} size={16} />
          {username} is available
        </span>
      );
    case 'unavailable':
      return (
        <span className={`${line} text-error`}>
          <Icon of={CircleX} size={16} />
          {username} is taken
        </span>
      );
    case 'unknown':
      return <span>Error checking username availability</span>;
  }
}
