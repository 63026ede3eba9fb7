import { useEffect, useState } from 'react';
import { verifyEmail } from '#app/features/accounts/actions.ts';
import { verifyEmailError } from '#app/features/accounts/lib/mail-messages.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { paths } from '#app/paths.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { VERIFICATION_TOKEN_MISSING_MESSAGE } from '#shared/accounts/constants.ts';
import { MailResult } from './mail-result.tsx';

const RESULTS = {
  loading: { title: 'Verifying your email…' },
  success: { title: 'Email verified', next: { to: paths.root.href(), label: 'Continue' } },
  error: { title: 'Email not verified', next: { to: paths.auth.href(), label: 'Back to Login' } },
};

type State = { status: keyof typeof RESULTS; text?: string; canRetry?: boolean };

/** Verifies an email with the token of a mail as soon as it is mounted. Needs a `key` that changes with the token. */
export function VerifyEmail({ token }: { token: string }) {
  const [{ status, text, canRetry }, setState] = useState<State>(
    token === '' ? { status: 'error', text: VERIFICATION_TOKEN_MISSING_MESSAGE } : { status: 'loading' },
  );
  const isLoading = status === 'loading';
  useEffect(() => {
    if (!isLoading) return;
    const controller = new AbortController();
    verifyEmail(token, controller.signal).then(
      (message) => setState({ status: 'success', text: message }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const code = codeOf(error);
        const canRetry = code !== 'invalid_token' && code !== 'taken';
        setState({ status: 'error', text: verifyEmailError(error), canRetry });
      },
    );
    return () => controller.abort();
  }, [token, isLoading]);
  return (
    <FocusFallback>
      <MailResult {...RESULTS[status]} status={status} text={text}>
        {canRetry && (
          <SecondaryButton onClick={() => setState({ status: 'loading' })}>Try Again</SecondaryButton>
        )}
      </MailResult>
    </FocusFallback>
  );
}
