import { KeyRound } from 'lucide-react';
import { lazy, useState } from 'react';
import * as z from 'zod/mini';
import { logIn, logInWithPasskey } from '#app/features/accounts/actions.ts';
import { ForgotPassword } from '#app/features/accounts/components/mail/forgot-password.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { useOfferedPasskeys } from '#app/features/accounts/hooks/use-offered-passkeys.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { loginInputSchema } from '#shared/accounts/schema.ts';
import { LoginField, PasswordField } from './account-fields.tsx';

const SecondStep = lazy(() => import('./passkeys/second-step.tsx'));

export function LoginForm() {
  const [isResetOpen, setResetOpen] = useState(false);
  const [ticket, setTicket] = useState<string | null>(null);
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => z.safeParse(loginInputSchema, values),
    send: async (input) => setTicket(await logIn(input)),
  });
  const [isPasskeyRequested, setPasskeyRequested] = useState(false);
  // Browsers allow one passkey request at a time, so the offer in the username field is withdrawn during the button's request.
  useOfferedPasskeys(ticket === null && !isPasskeyRequested);
  async function requestPasskey() {
    form.showError(null);
    setPasskeyRequested(true);
    // The error is already shown as a toast.
    await logInWithPasskey().catch(() => undefined);
    setPasskeyRequested(false);
  }
  function onBack(error: string | null) {
    setTicket(null);
    form.showError(error);
  }
  if (ticket !== null) {
    return (
      <LazyBoundary
        fallback={<SpinnerIcon />}
        errorFallback="This step could not be loaded. Reload the page."
      >
        <SecondStep ticket={ticket} onBack={onBack} />
      </LazyBoundary>
    );
  }
  // `method="dialog"` does nothing outside a dialog. If submitted before hydration, `get` would put the password into the URL.
  return (
    <>
      <PasskeyLogin isWaiting={isPasskeyRequested} onPress={() => void requestPasskey()} />
      <form ref={form.ref} method="dialog" onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <LoginField {...form.field('username')} label="Username or email" autoComplete="username webauthn" />
        <PasswordField
          {...form.field('password')}
          autoComplete="current-password"
          labelAction={
            <button
              type="button"
              onClick={() => setResetOpen(true)}
              className="-my-3 min-h-11 cursor-pointer font-semibold text-small underline"
            >
              Forgot password?
            </button>
          }
        />
        {form.formError !== null && <FormError>{form.formError}</FormError>}
        <PrimaryButton type="submit" aria-disabled={form.isSending} className="mt-1">
          {form.isSending ? 'Logging in…' : 'Log In'}
        </PrimaryButton>
      </form>
      <ForgotPassword
        initialLogin={form.values.username.trim()}
        isOpen={isResetOpen}
        onClose={() => setResetOpen(false)}
      />
    </>
  );
}

/** Hidden by CSS in browsers without passkeys: public/early.js sets `data-passkeys` where they are supported. */
function PasskeyLogin({ isWaiting, onPress }: { isWaiting: boolean; onPress(): void }) {
  return (
    <div className="hidden in-data-passkeys:grid gap-3 pb-4">
      <SecondaryButton className="min-h-12" aria-disabled={isWaiting} onClick={() => isWaiting || onPress()}>
        <Icon icon={KeyRound} /> Use a passkey
      </SecondaryButton>
      <p
        aria-hidden="true"
        className="flex items-center gap-3 before:h-px before:flex-1 before:bg-edge after:h-px after:flex-1 after:bg-edge"
      >
        <span className="grid size-8 place-items-center rounded-full bg-neutral font-extrabold text-neutral-content text-small">
          or
        </span>
      </p>
    </div>
  );
}
