import { Mail } from 'lucide-react';
import { useState } from 'react';
import { cancelEmailChange, refreshUser, resendVerificationMail } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { useOnVisible } from '#app/lib/browser/use-on-visible.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { User } from '#shared/accounts/schema.ts';

const BUTTON_CLASSES = 'btn flex-1 [--btn-color:var(--color-base-100)]';

type Action = 'resending' | 'cancelling';
type State = { phase: 'idle' | Action | 'failed'; text?: string | undefined };

/** Says that the email, or the pending new email, is not verified yet. Its buttons need the server. */
export function VerifyNote({ user }: { user: User }) {
  const { id, email, pendingEmail } = user;
  const [state, setState] = useState<State>({ phase: 'idle' });
  // The link may have been opened in another tab or browser.
  useOnVisible(refreshUser);

  /** Runs an action, and shows the message that it resolves to, or why it failed. */
  async function run(action: Action, work: () => Promise<string | undefined>) {
    setState({ phase: action });
    try {
      setState({ phase: 'idle', text: await work() });
    } catch (error) {
      setState({ phase: 'failed', text: errorMessage(error) });
    }
  }

  /**
   * Withdraws the new email. Resolves without a message, so that the hint is shown if the note remains because the old email is
   * not verified either.
   */
  async function keepOldEmail(): Promise<undefined> {
    await cancelEmailChange(user);
  }

  const isReachable = useReachable();
  const isRunning = state.phase === 'resending' || state.phase === 'cancelling';
  const hint =
    pendingEmail === undefined
      ? `Open the link we sent to ${email}.`
      : `Open the link we sent to ${pendingEmail}. Until then, your email stays ${email}.`;
  return (
    <section aria-label="Email not verified" className="grid gap-3 rounded-control bg-base-300 px-3.5 py-3">
      <div className="flex flex-1 gap-3">
        <Icon icon={Mail} />
        <div className="wrap-anywhere min-w-0 text-body">
          <p className="font-semibold">Your {pendingEmail !== undefined && 'new '}email is not verified</p>
          <p
            aria-live="polite"
            className={`text-small ${state.phase === 'failed' && isReachable ? 'text-error' : 'text-muted'}`}
          >
            {isReachable ? (state.text ?? hint) : `${hint} Connect to resend the email.`}
          </p>
        </div>
      </div>
      {isReachable && (
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className={BUTTON_CLASSES}
            aria-disabled={isRunning}
            onClick={() => isRunning || void run('resending', () => resendVerificationMail(id))}
          >
            {state.phase === 'resending' ? 'Sending…' : 'Resend email'}
          </button>
          {pendingEmail !== undefined && (
            <button
              type="button"
              className={BUTTON_CLASSES}
              aria-disabled={isRunning}
              onClick={() => isRunning || void run('cancelling', keepOldEmail)}
            >
              Keep the old email
            </button>
          )}
        </div>
      )}
    </section>
  );
}
