import { useEffect, useState } from 'react';
import { verifyEmail } from '#app/features/accounts/actions.ts';
import { verifyEmailError } from '#app/features/accounts/lib/mail-messages.ts';
import { paths } from '#app/paths.ts';
import { VERIFICATION_TOKEN_MISSING_MESSAGE } from '#shared/accounts/constants.ts';
import { MailResult } from './mail-result.tsx';

const RESULTS = {
  loading: { title: 'Verifying your email…' },
  success: { title: 'Email verified', next: { to: paths.root.href(), label: 'Continue' } },
  error: { title: 'Email not verified', next: { to: paths.auth.href(), label: 'Back to Login' } },
};

type State = { status: keyof typeof RESULTS; text?: string };

/** Verifies an email with the token of a mail as soon as it is mounted. Needs a `key` that changes with the token. */
export function VerifyEmail({ token }: { token: string }) {
  const [state, setState] = useState<State>(
    token === '' ? { status: 'error', text: VERIFICATION_TOKEN_MISSING_MESSAGE } : { status: 'loading' },
  );
  useEffect(() => {
    if (token === '') return;
    const controller = new AbortController();
    verifyEmail(token, controller.signal).then(
      (text) => setState({ status: 'success', text }),
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ status: 'error', text: verifyEmailError(error) });
      },
    );
    return () => controller.abort();
  }, [token]);
  return <MailResult {...RESULTS[state.status]} {...state} />;
}
