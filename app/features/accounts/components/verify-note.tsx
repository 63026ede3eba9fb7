import { Mail } from 'lucide-react';
import { useState } from 'react';
import { refreshUser, resendVerificationMail } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { useOnVisible } from '#app/lib/use-on-visible.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { User } from '#shared/accounts/schema.ts';

type State = { phase: 'idle' | 'sending' | 'sent' | 'failed'; text?: string };

export function VerifyNote({ user: { id, email } }: { user: User }) {
  const [state, setState] = useState<State>({ phase: 'idle' });
  // The link may have been opened elsewhere meanwhile.
  useOnVisible(refreshUser);

  async function resend() {
    setState({ phase: 'sending' });
    try {
      setState({ phase: 'sent', text: await resendVerificationMail(id) });
    } catch (error) {
      setState({ phase: 'failed', text: errorMessage(error) });
    }
  }

  return (
    <section
      aria-label="Email not verified"
      className="grid gap-3 rounded-control bg-base-300 px-3.5 py-3 md:flex md:items-center"
    >
      <div className="flex flex-1 gap-3">
        <Icon icon={Mail} />
        <div className="wrap-anywhere min-w-0 text-body">
          <p className="font-semibold">Your email is not verified</p>
          <p
            aria-live="polite"
            className={`text-small ${state.phase === 'failed' ? 'text-error' : 'text-muted'}`}
          >
            {state.text ?? `Open the link that we sent to ${email}.`}
          </p>
        </div>
      </div>
      <button
        type="button"
        className="btn [--btn-color:var(--color-base-100)]"
        disabled={state.phase === 'sending'}
        onClick={() => void resend()}
      >
        {state.phase === 'sending' ? 'Sending…' : 'Resend email'}
      </button>
    </section>
  );
}
