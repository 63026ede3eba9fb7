import type { useAskAgain } from '#app/features/polls/hooks/use-ask-again.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

/** Asks before a draft is replaced by the copy of a poll. */
export function DraftDialog({ conflict, replace, keep }: ReturnType<typeof useAskAgain>) {
  if (conflict === null) return null;
  const question = conflict.texts.question.trim();
  return (
    <SheetDialog title="Replace your draft?" onClose={keep}>
      <p className="wrap-anywhere text-body text-muted">
        {question === '' ? 'A poll that you have begun' : `“${question}”`} is not posted yet. There is one
        draft at a time.
      </p>
      <PrimaryButton className="mt-1 min-h-12" onClick={replace}>
        Replace it
      </PrimaryButton>
      <SecondaryButton data-first-focus="" className="min-h-12" onClick={keep}>
        Keep my draft
      </SecondaryButton>
    </SheetDialog>
  );
}
