import { useId, useState } from 'react';
import * as z from 'zod/mini';
import { requestResetLink } from '#app/features/accounts/actions.ts';
import { EmailField } from '#app/features/accounts/components/account-fields.tsx';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { forgotPasswordError, MAIL_NOT_SENT } from '#app/features/accounts/lib/mail-messages.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { PASSWORD_RESET_REQUESTED_MESSAGE } from '#shared/accounts/constants.ts';
import { forgotPasswordSchema } from '#shared/accounts/schema.ts';

type Props = {
  /** What was typed into the login form: a username or an email; empty where there is no login form. */
  initialLogin: string;
  onClose(): void;
};

export default function ForgotPasswordDialog({ initialLogin, onClose }: Props) {
  const titleId = useId();
  const [isSent, setSent] = useState(false);
  return (
    <Modal
      labelledBy={titleId}
      onClose={onClose}
      className="max-h-dvh w-[min(21rem,calc(100vw-1.5rem))] rounded-card md:w-[26rem]"
    >
      <div className="grid gap-2 p-5">
        <h2 id={titleId} className="text-title">
          Forgot password?
        </h2>
        {isSent ? (
          <>
            <p role="status" className="pb-2 text-field text-muted">
              {PASSWORD_RESET_REQUESTED_MESSAGE}
            </p>
            <PrimaryButton autoFocus onClick={onClose}>
              Done
            </PrimaryButton>
          </>
        ) : (
          <RequestForm initialLogin={initialLogin} onSent={() => setSent(true)} onClose={onClose} />
        )}
      </div>
    </Modal>
  );
}

function RequestForm({ initialLogin, onSent, onClose }: Props & { onSent(): void }) {
  const form = useForm({
    initial: { email: initialLogin.includes('@') ? initialLogin : '' },
    parse: (values) => z.safeParse(forgotPasswordSchema, values),
    send: async (input) => {
      await requestResetLink(input);
      onSent();
    },
    describeError: forgotPasswordError,
  });
  return (
    <>
      <p className="pb-2 text-field text-muted">We will send a link to your email.</p>
      <OfflineNotice>You are offline. Connect to request a link.</OfflineNotice>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <EmailField {...form.field('email')} />
        {form.formError !== null && (
          <FormError>
            <p className="font-semibold">{MAIL_NOT_SENT}</p>
            <p className="text-muted text-small">{form.formError}</p>
          </FormError>
        )}
        <div className="flex flex-wrap gap-2">
          <SecondaryButton className="min-h-12" onClick={onClose}>
            Cancel
          </SecondaryButton>
          <PrimaryButton type="submit" aria-disabled={form.isSending} className="flex-1">
            {form.isSending ? 'Sending…' : 'Send Reset Link'}
          </PrimaryButton>
        </div>
      </form>
    </>
  );
}
