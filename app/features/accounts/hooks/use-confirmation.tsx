import { useState } from 'react';
import { ConfirmIdentityDialog } from '#app/features/accounts/components/passkeys/confirm-identity-dialog.tsx';
import { codeOf } from '#app/lib/api/api-error.ts';

type Options = { userId: number; hasPasskey: boolean };

/**
 * For work that the server does only for somebody who has just proved who they are: `confirmed` asks for the password or a
 * passkey where it is needed, and does the work again; null when the user does not want to. `dialog` has to be rendered.
 */
export function useConfirmation({ userId, hasPasskey }: Options) {
  const [asked, setAsked] = useState<{ end(isConfirmed: boolean): void } | null>(null);

  async function confirmed<Result>(work: () => Promise<Result>): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== 'confirmation_needed') throw error;
    }
    const isConfirmed = await new Promise<boolean>((end) => setAsked({ end }));
    setAsked(null);
    return isConfirmed ? work() : null;
  }

  const dialog = asked && (
    <ConfirmIdentityDialog
      userId={userId}
      hasPasskey={hasPasskey}
      onConfirm={() => asked.end(true)}
      onClose={() => asked.end(false)}
    />
  );
  return { confirmed, dialog };
}
