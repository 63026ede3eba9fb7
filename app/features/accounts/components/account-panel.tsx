import { type FormEvent, useState } from 'react';
import * as z from 'zod/mini';
import { saveAccount } from '#app/features/accounts/actions.ts';
import { useForm } from '#app/features/accounts/hooks/use-form.ts';
import { useUsernameCheck } from '#app/features/accounts/hooks/use-username-check.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { Key } from '#app/ui/button.tsx';
import { Field, FormError } from '#app/ui/field.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { type UpdateUserInput, type User, updateUserSchema } from '#shared/accounts/schema.ts';
import { UsernameNote } from './username-note.tsx';
import { VerifyNote } from './verify-note.tsx';

type Shown = Pick<User, 'username' | 'email'>;

/** What was changed here: the rest may have been changed elsewhere meanwhile, and stays as it is there. */
function changesOf(shown: Shown, { username, email }: UpdateUserInput): UpdateUserInput {
  return {
    ...(username === undefined || username === shown.username ? {} : { username }),
    ...(email === undefined || email === shown.email ? {} : { email }),
  };
}

/** Username and email, to be changed. */
export function AccountPanel({ user }: { user: User }) {
  const [shown, setShown] = useState<Shown>({ username: user.username, email: user.email });
  const form = useForm({
    initial: shown,
    parse: (values) => z.safeParse(updateUserSchema, values),
    refuse: () => (isTaken ? [{ path: 'username', message: `${username} is taken` }] : []),
    send: async (input) => {
      await saveAccount(user.id, changesOf(shown, input));
      setShown({ username: input.username ?? shown.username, email: input.email ?? shown.email });
    },
    failure: errorMessage,
  });
  const { availability, username } = useUsernameCheck(form.values.username, shown.username);
  const isTaken = availability === 'unavailable';
  function submit(event: FormEvent) {
    dismissTopic('account');
    form.onSubmit(event);
  }

  const isNewEmail = form.values.email.trim() !== shown.email;
  return (
    <Panel title="Account Information">
      <form ref={form.ref} onSubmit={submit} noValidate className="grid gap-4">
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
