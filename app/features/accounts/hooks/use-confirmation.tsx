import { useState } from 'react';
import { ConfirmIdentityDialog } from '#app/features/accounts/components/passkeys/confirm-identity-dialog.tsx';
import { codeOf } from '#app/lib/api/api-error.ts';

type Options = { userId: number; hasPasskey: boolean };

/**
 * For calls that need a confirmed session. `runConfirmed` runs `work`; if that throws `confirmation_needed`, it asks for the
 * password or a passkey and runs `work` again. It returns null when the user cancels. The caller has to render
 * `confirmationDialog`.
 */
export function useConfirmation({ userId, hasPasskey }: Options) {
  const [prompt, setPrompt] = useState<{ resolve(isConfirmed: boolean): void } | null>(null);

  async function runConfirmed<Result>(work: () => Promise<Result>): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== 'confirmation_needed') throw error;
    }
    const isConfirmed = await new Promise<boolean>((resolve) => setPrompt({ resolve }));
    setPrompt(null);
    return isConfirmed ? work() : null;
  }

  const confirmationDialog = prompt && (
    <ConfirmIdentityDialog
      userId={userId}
      hasPasskey={hasPasskey}
      onConfirm={() => prompt.resolve(true)}
      onClose={() => prompt.resolve(false)}
    />
  );
  return { runConfirmed, confirmationDialog };
}
