import { useRef, useState } from 'react';
import { undoEmailChange, undoPasskeys } from '#app/features/accounts/actions.ts';
import { undoChangeError } from '#app/features/accounts/lib/mail-messages.ts';
import { codeOf, mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { ForgotPassword } from './forgot-password.tsx';
import { IncompleteLink } from './mail-result.tsx';

const CHANGES = {
  email: {
    undo: undoEmailChange,
    question: 'Undo the email change?',
    text: 'This restores your previous email and logs you out on every device.',
    button: 'Undo the change',
    done: 'Your email has been restored',
  },
  passkeys: {
    undo: undoPasskeys,
    question: 'Not you?',
    text: 'This removes passkeys added in the last few days, turns off the second step if it was turned on since then, restores your email if it was changed, and logs you out on every device. Then choose a new password.',
    button: 'This was not me',
    done: 'Your account is yours again',
  },
};

type State =
  | { phase: 'idle' | 'sending' }
  | { phase: 'failed'; text: string }
  | { phase: 'undone'; title: string; text: string };

const MAY_BE_UNDONE: State = {
  phase: 'undone',
  title: 'This may already have been undone',
  text: 'Your link works only once, and the response to your first try was lost. If you did not make the change, choose a new password now.',
};

/** Undoes a change with the token of a mail. Asks for confirmation, because mail scanners open links, too. */
export function UndoChange({ token, change }: { token: string; change: keyof typeof CHANGES }) {
  const details = CHANGES[change];
  const [state, setState] = useState<State>({ phase: 'idle' });
  const isSending = state.phase === 'sending';
  const [isResetOpen, setResetOpen] = useState(false);
  /** Whether the server may have undone the change although no response arrived; the token works only once. */
  const mayBeUndone = useRef(false);

  async function undo() {
    setState({ phase: 'sending' });
    try {
      setState({ phase: 'undone', title: details.done, text: await details.undo(token) });
    } catch (error) {
      if (codeOf(error) === 'invalid_token' && mayBeUndone.current) return setState(MAY_BE_UNDONE);
      mayBeUndone.current ||= mayHaveTakenEffect(error);
      setState({ phase: 'failed', text: undoChangeError(error) });
    }
  }

  if (token === '') return <IncompleteLink />;
  if (state.phase === 'undone') {
    return (
      <section role="status" className="grid gap-3 pt-4">
        <h2 className="text-title">{state.title}</h2>
        <p className="pb-2 text-field text-muted">{state.text}</p>
        <PrimaryButton onClick={() => setResetOpen(true)}>Choose a new password</PrimaryButton>
        <ForgotPassword initialLogin="" isOpen={isResetOpen} onClose={() => setResetOpen(false)} />
      </section>
    );
  }
  return (
    <FocusFallback className="grid gap-4 pt-4">
      <h2 className="text-title">{details.question}</h2>
      <p className="text-field text-muted">{details.text}</p>
      <OfflineNotice>You are offline. Connect to undo the change.</OfflineNotice>
      {state.phase === 'failed' && <FormError>{state.text}</FormError>}
      <SecondaryButton
        className="min-h-12 text-error"
        aria-disabled={isSending}
        onClick={() => isSending || void undo()}
      >
        {isSending ? 'Undoing…' : details.button}
      </SecondaryButton>
    </FocusFallback>
  );
}
