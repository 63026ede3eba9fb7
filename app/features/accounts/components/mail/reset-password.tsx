import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import { resetPassword } from '#app/features/accounts/actions.ts';
import { PasswordField } from '#app/features/accounts/components/account-fields.tsx';
import { NewPasswordField } from '#app/features/accounts/components/new-password-field.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import {
  firstPasswordError,
  PASSWORD_MAY_BE_SET,
  RESET_LINK_INVALID,
  resetPasswordError,
} from '#app/features/accounts/lib/mail-messages.ts';
import { codeOf, mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, SecondaryLink } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { newPasswordSchema } from '#shared/accounts/schema.ts';
import { ForgotPassword } from './forgot-password.tsx';
import { MailResult } from './mail-result.tsx';

const formSchema = z.object({ password: newPasswordSchema });

/** What is wrong with the repeated password; null if nothing is. */
function confirmationProblem(password: string, confirmPassword: string): string | null {
  if (confirmPassword === '') return 'Enter the new password again';
  if (confirmPassword !== password) return 'Passwords do not match';
  // Equal to the new password: if that is too short or too long, both fields say so.
  return newPasswordSchema.safeParse(confirmPassword).error?.issues[0]?.message ?? null;
}

const BACK_LINK = { to: paths.auth.href(), label: 'Back to Login' };
const LOG_IN_LINK = { to: paths.auth.href(), label: 'Log In' };

type Props = {
  token: string;
  /** Whether the link sets the owner's first password. The server prints that link when it starts; other links are in mails. */
  isFirstPassword: boolean;
};

/** The form for a new password, opened by a link with a token. */
export function ResetPassword({ token, isFirstPassword }: Props) {
  const [successText, setSuccessText] = useState<string | null>(null);
  if (token === '') {
    return (
      <MailResult status="error" title="This link does not work" text={RESET_LINK_INVALID} next={BACK_LINK} />
    );
  }
  if (successText === null)
    return <ResetForm token={token} isFirstPassword={isFirstPassword} onSuccess={setSuccessText} />;
  const title = isFirstPassword ? 'Password set' : 'Password changed';
  return <MailResult status="success" title={title} text={successText} next={LOG_IN_LINK} />;
}

function ResetForm({ token, isFirstPassword, onSuccess }: Props & { onSuccess(text: string): void }) {
  const [isTokenInvalid, setTokenInvalid] = useState(false);
  const [isRequestOpen, setRequestOpen] = useState(false);
  /** Whether the server may have set the password although no response arrived; the token works only once. */
  const mayBeSet = useRef(false);
  const form = useForm({
    initial: { password: '', confirmPassword: '' },
    parse: (values) => z.safeParse(formSchema, values),
    validate: ({ password, confirmPassword }) => {
      const message = confirmationProblem(password, confirmPassword);
      return message === null ? [] : [{ path: 'confirmPassword', message }];
    },
    send: async ({ password }) => {
      try {
        onSuccess(await resetPassword({ token, password }));
      } catch (error) {
        mayBeSet.current ||= mayHaveTakenEffect(error);
        setTokenInvalid(codeOf(error) === 'invalid_token' && !mayBeSet.current);
        throw error;
      }
      // The form is about to be removed with its focus. If Cancel has removed it already, the focus is on another screen.
      if (form.ref.current !== null) focusMain();
    },
    describeError(error) {
      if (codeOf(error) === 'invalid_token' && mayBeSet.current) return PASSWORD_MAY_BE_SET;
      return isFirstPassword ? firstPasswordError(error) : resetPasswordError(error);
    },
  });
  const submitLabel = isFirstPassword ? 'Set Password' : 'Reset Password';
  return (
    <>
      <h2 className="pt-4 pb-5 text-title">
        {isFirstPassword ? 'Choose a password' : 'Choose a new password'}
      </h2>
      <OfflineNotice className="mb-4">You are offline. Connect to change your password.</OfflineNotice>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <NewPasswordField {...form.field('password')} label="New Password" account={null} />
        <PasswordField
          {...form.field('confirmPassword')}
          label="Confirm Password"
          autoComplete="new-password"
        />
        {form.formError !== null && (
          <FormError>
            {form.formError}
            {isTokenInvalid && isFirstPassword && ' Restart the server to print a new link.'}
            {isTokenInvalid && !isFirstPassword && (
              <button
                type="button"
                onClick={() => setRequestOpen(true)}
                className="flex min-h-11 cursor-pointer items-center font-semibold underline"
              >
                Request a new link
              </button>
            )}
          </FormError>
        )}
        <div className="flex flex-wrap gap-2">
          <SecondaryLink to={paths.auth.href()} replace className="min-h-12 py-1">
            Cancel
          </SecondaryLink>
          <PrimaryButton type="submit" aria-disabled={form.isSending} className="flex-1">
            {form.isSending ? 'Saving…' : submitLabel}
          </PrimaryButton>
        </div>
      </form>
      <ForgotPassword initialLogin="" isOpen={isRequestOpen} onClose={() => setRequestOpen(false)} />
    </>
  );
}
