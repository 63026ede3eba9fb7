import { useId, useState } from 'react';
import * as z from 'zod/mini';
import { requestResetLink } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { forgotFailure, MAIL_NOT_SENT } from '#app/features/accounts/lib/mail-words.ts';
import { Key, QuietButton } from '#app/ui/button.tsx';
import { Field, FormError } from '#app/ui/field.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { RESET_MAIL_ASKED } from '#shared/accounts/constants.ts';
import { forgotPasswordSchema } from '#shared/accounts/schema.ts';

type Props = {
  /** What was typed as the login: it may be the email. */
  typed: string;
  onClose(): void;
};

/** Asks for the email that the link for a new password goes to. */
export default function ForgotPasswordDialog({ typed, onClose }: Props) {
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
          <Sent onClose={onClose} />
        ) : (
          <AskForm typed={typed} onSent={() => setSent(true)} onClose={onClose} />
        )}
      </div>
    </Modal>
  );
}

function AskForm({ typed, onSent, onClose }: Props & { onSent(): void }) {
  const form = useForm({
    initial: { email: typed.includes('@') ? typed : '' },
    parse: (values) => z.safeParse(forgotPasswordSchema, values),
    send: async (input) => {
      await requestResetLink(input);
      onSent();
    },
    failure: forgotFailure,
  });
  return (
    <>
      <p className="pb-2 text-field text-muted">We send a link to your email.</p>
      <OnlineOnly>There is no connection. The link needs one.</OnlineOnly>
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <Field
          {...form.field('email')}
          label="Email"
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
        />
        {form.formError !== null && (
          <FormError>
            <p className="font-semibold">{MAIL_NOT_SENT}</p>
            <p className="text-muted text-small">{form.formError}</p>
          </FormError>
        )}
        <div className="flex flex-wrap gap-2">
          <QuietButton className="min-h-12" onClick={onClose}>
            Cancel
          </QuietButton>
          <Key type="submit" disabled={form.isSending} className="flex-1">
            {form.isSending ? 'Sending…' : 'Send Reset Link'}
          </Key>
        </div>
      </form>
    </>
  );
}

function Sent({ onClose }: { onClose(): void }) {
  return (
    <>
      <p role="status" className="pb-2 text-field text-muted">
        {RESET_MAIL_ASKED}
      </p>
      <Key autoFocus onClick={onClose}>
        Done
      </Key>
    </>
  );
}
