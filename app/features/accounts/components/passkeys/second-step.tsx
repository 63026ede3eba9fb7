import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { finishWithPasskey, finishWithRecoveryCode } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Field, FormError } from '#app/ui/forms/field.tsx';
import { Icon } from '#app/ui/icon.tsx';

type Props = {
  ticket: string;
  /** `error`: why a new login is needed; null if the user chose Back. */
  onBack(error: string | null): void;
};

const CODE_MISSING = 'Enter one of your recovery codes';
const inputSchema = z.object({ recoveryCode: z.string().check(z.trim(), z.minLength(1, CODE_MISSING)) });

/** The second step of a login: asks for a passkey or a recovery code after the password. */
export default function SecondStep({ ticket, onBack }: Props) {
  const isSupported = arePasskeysSupported();
  const [method, setMethod] = useState<'passkey' | 'code'>(isSupported ? 'passkey' : 'code');
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      // The focused button is removed with this step; the first field of the login form takes the focus.
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>('input[name="username"]')?.focus();
    };
  }, []);
  /**
   * Runs `finish`, which shows its errors as toasts. Returns to the login form if the ticket is no longer valid, unless the user
   * has gone back already: a new login may be under way there.
   */
  async function attempt(finish: () => Promise<void>) {
    try {
      await finish();
    } catch (error) {
      if (isMounted.current && codeOf(error) === 'invalid_token') onBack(errorMessage(error));
      throw error;
    }
  }
  return (
    <section aria-labelledby="second-step" className="grid gap-4">
      <h2 id="second-step" tabIndex={-1} ref={focusHeading} className="text-question outline-none">
        One more step
      </h2>
      {method === 'passkey' ? (
        <PasskeyStep onContinue={() => attempt(() => finishWithPasskey(ticket))} />
      ) : (
        <CodeStep onSend={(code) => attempt(() => finishWithRecoveryCode(ticket, code))} />
      )}
      <div className="grid gap-2">
        {isSupported && (
          <SecondaryButton
            className="min-h-12"
            onClick={() => setMethod(method === 'passkey' ? 'code' : 'passkey')}
          >
            {method === 'passkey' ? 'Use a recovery code' : 'Use a passkey'}
          </SecondaryButton>
        )}
        <SecondaryButton ghost className="min-h-12" onClick={() => onBack(null)}>
          Back
        </SecondaryButton>
      </div>
    </section>
  );
}

/** Moves the focus to the heading, because the focused login form was removed. */
function focusHeading(heading: HTMLElement | null) {
  heading?.focus();
}

function PasskeyStep({ onContinue }: { onContinue(): Promise<void> }) {
  const [isWaiting, setWaiting] = useState(false);
  async function requestPasskey() {
    setWaiting(true);
    // The error is already shown as a toast.
    await onContinue().catch(() => undefined);
    setWaiting(false);
  }
  return (
    <>
      <p className="text-body text-muted">Your account needs a passkey as well as the password.</p>
      <PrimaryButton aria-disabled={isWaiting} onClick={() => isWaiting || void requestPasskey()}>
        <Icon icon={KeyRound} /> {isWaiting ? 'Waiting for your passkey…' : 'Continue with a passkey'}
      </PrimaryButton>
    </>
  );
}

function CodeStep({ onSend }: { onSend(code: string): Promise<void> }) {
  const form = useForm({
    initial: { recoveryCode: '' },
    parse: (values) => z.safeParse(inputSchema, values),
    send: ({ recoveryCode }) => onSend(recoveryCode),
  });
  return (
    <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
      <Field
        {...form.field('recoveryCode')}
        autoFocus
        label="Recovery code"
        hint="One of the ten you saved, such as 7KQ2-M4XP. Each works once."
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
      />
      {form.formError !== null && <FormError>{form.formError}</FormError>}
      <PrimaryButton type="submit" aria-disabled={form.isSending}>
        {form.isSending ? 'Logging in…' : 'Log In'}
      </PrimaryButton>
    </form>
  );
}
