import { type ReactNode, useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import * as z from 'zod/mini';
import { setNewPassword } from '#app/features/accounts/actions.ts';
import { PasswordField } from '#app/features/accounts/components/password-field.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { RESET_LINK_INVALID, resetFailure } from '#app/features/accounts/lib/mail-words.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { paths } from '#app/paths.ts';
import { Key } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/field.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { MAIL_LINK_REDIRECT_MS, PASSWORD_MIN_LENGTH } from '#shared/accounts/constants.ts';
import { newPasswordSchema } from '#shared/accounts/schema.ts';
import { ForgotPassword } from './forgot-password.tsx';
import { MailResult } from './mail-result.tsx';

const formSchema = z.object({ password: newPasswordSchema, confirmPassword: newPasswordSchema }).check(
  z.refine(({ password, confirmPassword }) => password === confirmPassword, {
    error: 'Passwords do not match',
    path: ['confirmPassword'],
  }),
);

/** Two fields for a new password, for whoever has the link of a reset mail. */
export function ResetPassword({ token }: { token: string }) {
  const [done, setDone] = useState<string | null>(null);
  if (token === '') {
    return (
      <MailResult tone="bad" title="This link does not work" text={RESET_LINK_INVALID}>
        <ToLogin>Back to Login</ToLogin>
      </MailResult>
    );
  }
  if (done === null) return <ResetForm token={token} onDone={setDone} />;
  return <Done text={done} />;
}

function ResetForm({ token, onDone }: { token: string; onDone(text: string): void }) {
  const [isLinkBad, setLinkBad] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const form = useForm({
    initial: { password: '', confirmPassword: '' },
    parse: (values) => z.safeParse(formSchema, values),
    send: async ({ password }) => onDone(await setNewPassword({ token, password })),
    failure(error) {
      setLinkBad(codeOf(error) === 'invalid_token');
      return resetFailure(error);
    },
  });
  return (
    <>
      <h2 className="pt-4 pb-5 text-title">Choose a new password</h2>
      <OnlineOnly className="mb-4">There is no connection. A new password needs one.</OnlineOnly>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <PasswordField
          {...form.field('password')}
          label="New Password"
          autoComplete="new-password"
          hint={`min. ${PASSWORD_MIN_LENGTH} characters`}
        />
        <PasswordField
          {...form.field('confirmPassword')}
          label="Confirm Password"
          autoComplete="new-password"
        />
        {form.formError !== null && (
          <FormError>
            {form.formError}
            {isLinkBad && (
              <button
                type="button"
                onClick={() => setAsking(true)}
                className="flex min-h-11 cursor-pointer items-center font-semibold underline"
              >
                Request a new link
              </button>
            )}
          </FormError>
        )}
        <div className="flex flex-wrap gap-2">
          <Link
            to={paths.auth.href()}
            replace
            className="btn h-auto min-h-12 py-1 border-0 bg-base-300 text-body"
          >
            Cancel
          </Link>
          <Key type="submit" disabled={form.isSending} className="flex-1">
            {form.isSending ? 'Saving…' : 'Reset Password'}
          </Key>
        </div>
      </form>
      <ForgotPassword typed="" isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}

function Done({ text }: { text: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => navigate(paths.auth.href(), { replace: true }), MAIL_LINK_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <MailResult tone="good" title="Password changed" text={text}>
      <ToLogin>Log In</ToLogin>
    </MailResult>
  );
}

function ToLogin({ children }: { children: ReactNode }) {
  return (
    <Link to={paths.auth.href()} replace className="key key-primary">
      {children}
    </Link>
  );
}
