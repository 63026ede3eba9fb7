import * as z from 'zod/mini';
import { signUp } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { usernameIssues, useUsernameCheck } from '#app/features/accounts/hooks/use-username-check.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { registerInputSchema } from '#shared/accounts/schema.ts';
import { EmailField, UsernameField } from './account-fields.tsx';
import { NewPasswordField } from './new-password-field.tsx';

export function SignupForm({ referralCode }: { referralCode: string | null }) {
  const form = useForm({
    initial: { username: '', email: '', password: '' },
    parse: (values) =>
      z.safeParse(registerInputSchema, referralCode === null ? values : { ...values, referralCode }),
    validate: () => usernameIssues(check),
    send: signUp,
  });
  const check = useUsernameCheck(form.values.username);
  // `method="dialog"` does nothing outside a dialog. If submitted before hydration, `get` would put the password into the URL.
  return (
    <form ref={form.ref} method="dialog" onSubmit={form.onSubmit} noValidate className="grid gap-4">
      {/* The error may be that the username was taken since the check. */}
      <UsernameField {...form.field('username')} check={form.formError === null ? check : null} />
      <EmailField {...form.field('email')} />
      <NewPasswordField {...form.field('password')} account={form.values} />
      {form.formError !== null && <FormError>{form.formError}</FormError>}
      <PrimaryButton type="submit" aria-disabled={form.isSending} className="mt-1">
        {form.isSending ? 'Creating your account…' : 'Create Account'}
      </PrimaryButton>
    </form>
  );
}
