import { Mail } from 'lucide-react';
import { useEffect, useState } from 'react';
import { refreshUser, resendVerificationMail } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { User } from '#shared/accounts/schema.ts';

type State = { phase: 'idle' | 'sending' } | { phase: 'sent' | 'failed'; words: string };

/** Says that an email is not verified, and sends the link again. */
export function VerifyNote({ user: { id, email } }: { user: User }) {
  const [state, setState] = useState<State>({ phase: 'idle' });
  useReturn();

  async function resend() {
    setState({ phase: 'sending' });
    try {
      setState({ phase: 'sent', words: await resendVerificationMail(id) });
    } catch (error) {
      setState({ phase: 'failed', words: errorMessage(error) });
    }
  }

  return (
    <section
      aria-label="Email not verified"
      className="grid gap-3 rounded-key bg-base-300 px-3.5 py-3 md:flex md:items-center"
    >
      <div className="flex flex-1 gap-3">
        <Icon of={Mail} />
        <div className="wrap-anywhere min-w-0 text-body">
          <p className="font-semibold">Your email is not verified</p>
          <p aria-live="polite" className="text-muted text-small">
            <Words state={state} email={email} />
          </p>
        </div>
      </div>
      <button
        type="button"
        className="btn h-auto min-h-11 border-0 bg-base-100 text-body"
        disabled={state.phase === 'sending'}
        onClick={() => void resend()}
      >
        {state.phase === 'sending' ? 'Sending…' : 'Resend email'}
      </button>
    </section>
  );
}

function Words({ state, email }: { state: State; email: string }) {
  switch (state.phase) {
    case 'idle':
    case 'sending':
      return `Open the link that we sent to ${email}.`;
    case 'sent':
      return state.words;
    case 'failed':
      return <span className="text-error">{state.words}</span>;
  }
}

/** The link may be opened elsewhere: whoever comes back to this page sees it verified. */
function useReturn(): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void refreshUser();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
}
