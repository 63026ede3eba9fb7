import { useState } from 'react';
import { unsubscribe } from '#app/features/accounts/actions.ts';
import { unsubscribeError } from '#app/features/accounts/lib/mail-messages.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { IncompleteLink, MailResult } from './mail-result.tsx';

type State =
  | { phase: 'idle' | 'sending' }
  | { phase: 'failed'; text: string }
  | { phase: 'done'; text: string };

/** Unsubscribes from the weekly mail with the link in it. Asks for confirmation, because mail scanners open links, too. */
export function Unsubscribe({ token }: { token: string }) {
  const [state, setState] = useState<State>({ phase: 'idle' });
  const isSending = state.phase === 'sending';

  async function confirmUnsubscription() {
    setState({ phase: 'sending' });
    try {
      setState({ phase: 'done', text: await unsubscribe(token) });
    } catch (error) {
      setState({ phase: 'failed', text: unsubscribeError(error) });
    }
  }

  if (token === '') return <IncompleteLink />;
  if (state.phase === 'done') {
    return <MailResult status="success" title="You have been unsubscribed" text={state.text} />;
  }
  return (
    <FocusFallback className="grid gap-4 pt-4">
      <h2 className="text-title">Unsubscribe from the weekly email?</h2>
      <p className="text-field text-muted">
        You will no longer get the results of your polls by email. We will still email you about your account.
      </p>
      <OfflineNotice>You are offline. Connect to unsubscribe.</OfflineNotice>
      {state.phase === 'failed' && <FormError>{state.text}</FormError>}
      <PrimaryButton aria-disabled={isSending} onClick={() => isSending || void confirmUnsubscription()}>
        {isSending ? 'Unsubscribing…' : 'Unsubscribe'}
      </PrimaryButton>
    </FocusFallback>
  );
}
