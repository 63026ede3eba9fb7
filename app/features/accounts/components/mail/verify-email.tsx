import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { verifyWithToken } from '#app/features/accounts/actions.ts';
import { verifyFailure } from '#app/features/accounts/lib/mail-words.ts';
import { paths } from '#app/paths.ts';
import { MAIL_LINK_REDIRECT_MS, VERIFICATION_TOKEN_MISSING } from '#shared/accounts/constants.ts';
import { MailResult } from './mail-result.tsx';

type State = { phase: 'loading' } | { phase: 'success'; text: string } | { phase: 'error'; text: string };

/** Hands in the token of a verification mail as soon as the link is opened. For another token it is mounted anew. */
export function VerifyEmail({ token }: { token: string }) {
  const verification = useVerification(token);
  const state = token === '' ? ({ phase: 'error', text: VERIFICATION_TOKEN_MISSING } as const) : verification;
  switch (state.phase) {
    case 'loading':
      return <MailResult tone="busy" title="Verifying your email…" />;
    case 'success':
      return (
        <MailResult tone="good" title="Email verified" text={state.text}>
          <Link to={paths.root.href()} replace className="key key-primary">
            Go on
          </Link>
        </MailResult>
      );
    case 'error':
      return (
        <MailResult tone="bad" title="Email not verified" text={state.text}>
          <Link to={paths.auth.href()} replace className="key key-primary">
            Back to Login
          </Link>
        </MailResult>
      );
  }
}

function useVerification(token: string): State {
  const [state, setState] = useState<State>({ phase: 'loading' });
  const navigate = useNavigate();
  useEffect(() => {
    if (token === '') return;
    const asking = new AbortController();
    verifyWithToken(token, asking.signal).then(
      (text) => setState({ phase: 'success', text }),
      (error: unknown) => {
        if (!asking.signal.aborted) setState({ phase: 'error', text: verifyFailure(error) });
      },
    );
    return () => asking.abort();
  }, [token]);
  const isDone = state.phase === 'success';
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => navigate(paths.root.href(), { replace: true }), MAIL_LINK_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [isDone, navigate]);
  return state;
}
