import * as z from 'zod/mini';
import { saveAccount } from '#app/features/auth/actions.ts';
import { errorMessage } from '#app/lib/error-message.ts';
import { Field } from '#app/ui/field.tsx';
import { FormError } from '#app/ui/form-error.tsx';
import { Key } from '#app/ui/key.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { type UpdateUserInput, type User, updateUserSchema } from '#shared/auth/schema.ts';
import { useForm } from './use-form.ts';
import { useUsernameCheck } from './use-username-check.ts';
import { UsernameNote } from './username-note.tsx';
import { VerifyNote } from './verify-note.tsx';

/** What is new of the account: an email that did not change must not be verified again. */
function changesOf(user: User, { username, email }: UpdateUserInput): UpdateUserInput {
  return {
    ...(username === undefined || username === user.username ? {} : { username }),
    ...(email === undefined || email === user.email ? {} : { email }),
  };
}

/** Username and email, to be changed. */
export function AccountPanel({ user }: { user: User }) {
  const form = useForm({
    initial: { username: user.username, email: user.email },
    parse: (values) => z.safeParse(updateUserSchema, values),
    refuse: () => (isTaken ? [{ path: 'username', message: `${username} is taken` }] : []),
    send: (input) => saveAccount(user.id, changesOf(user, input)),
    failure: errorMessage,
  });
  const { availability, username } = useUsernameCheck(form.values.username, user.username);
  const isTaken = availability === 'unavailable';
  const isNewEmail = form.values.email.trim() !== user.email;
  return (
    <Panel title="Account Information">
      <form ref={form.ref} onSubmit={form.onSubmit} noValidate className="grid gap-4">
        <Field
          {...form.field('username')}
          label="Username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          isBad={isTaken}
          hint={<UsernameNote availability={availability} username={username} />}
        />
        <Field
          {...form.field('email')}
          label="Email"
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          hint={isNewEmail && 'A new email has to be verified again. We send a link to it.'}
        />
        {!user.isVerified && !isNewEmail && <VerifyNote user={user} />}
        {form.formError !== null && <FormError>{form.formError}</FormError>}
        <OnlineOnly>There is no connection. Saving needs one.</OnlineOnly>
        <Key type="submit" disabled={form.isSending}>
          {form.isSending ? 'Saving…' : 'Save Changes'}
        </Key>
      </form>
    </Panel>
  );
}
