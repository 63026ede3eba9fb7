import { useEffect, useState } from 'react';
import { verifyEmail } from '#app/features/accounts/actions.ts';
import { verifyEmailError } from '#app/features/accounts/lib/mail-messages.ts';
import { paths } from '#app/paths.ts';
import { VERIFICATION_TOKEN_MISSING_MESSAGE } from '#shared/accounts/constants.ts';
import { MailResult } from './mail-result.tsx';

type State = { phase: 'loading' } | { phase: 'success' | 'error'; text: string };

/** Verifies an email with the token of a mail as soon as it is mounted. Needs a `key` for each token. */
export function VerifyEmail({ token }: { token: string }) {
  const [state, setState] = useState<State>(
    token === '' ? { phase: 'error', text: VERIFICATION_TOKEN_MISSING_MESSAGE } : { phase: 'loading' },
  );
  useEffect(() => {
    if (token === '') return;
    const controller = new AbortController();
    verifyEmail(token, controller.signal).then(
      (text) => setState({ phase: 'success', text }),
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ phase: 'error', text: verifyEmailError(error) });
      },
    );
    return () => controller.abort();
  }, [token]);

  switch (state.phase) {
    case 'loading':
      return <MailResult status="loading" title="Verifying your email…" />;
    case 'success':
      return (
        <MailResult
          status="success"
          title="Email verified"
          text={state.text}
          next={{ to: paths.root.href(), label: 'Continue' }}
        />
      );
    case 'error':
      return (
        <MailResult
          status="error"
          title="Email not verified"
          text={state.text}
          next={{ to: paths.auth.href(), label: 'Back to Login' }}
        />
      );
  }
}
