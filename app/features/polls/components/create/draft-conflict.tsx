import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

type Props = {
  draft: InitialForm;
  /** The content that would replace the draft, for example "A copy of this poll". */
  replacement: string;
  replaceLabel: string;
  onReplace(): void;
  onKeep(): void;
  onClose(): void;
};

/** Asks whether a draft may be replaced. Closing the dialog decides nothing. */
export default function DraftConflictDialog({ draft, replacement, replaceLabel, ...handlers }: Props) {
  const { question } = draft.texts;
  return (
    <SheetDialog title="You have a draft" onClose={handlers.onClose} hasCloseButton>
      <p className="wrap-anywhere pb-2 text-field text-muted">
        {question === '' ? 'A poll' : <b className="font-bold text-base-content">“{question}”</b>} has not
        been posted yet. {replacement} would replace it.
      </p>
      <PrimaryButton data-first-focus="" onClick={handlers.onReplace}>
        {replaceLabel}
      </PrimaryButton>
      <SecondaryButton className="min-h-12" onClick={handlers.onKeep}>
        Keep the draft
      </SecondaryButton>
    </SheetDialog>
  );
}
