import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

type Props = {
  draft: InitialForm;
  /** What would replace the draft, as the subject of a sentence: "A copy of this poll". */
  replacement: string;
  replaceLabel: string;
  onReplace(): void;
  onKeep(): void;
  onClose(): void;
};

/** Asks whether new content may replace the draft of a poll. Closing the dialog changes nothing. */
export default function DraftConflictDialog({ draft, replacement, replaceLabel, ...handlers }: Props) {
  const { question } = draft.texts;
  return (
    <SheetDialog title="You have a draft" onClose={handlers.onClose} hasCloseButton>
      <p className="wrap-anywhere pb-2 text-field text-muted">
        {question === '' ? 'A poll' : <b className="font-bold text-base-content">“{question}”</b>} has not
        been posted yet. {replacement} would replace it.
      </p>
      <PrimaryButton onClick={handlers.onReplace}>{replaceLabel}</PrimaryButton>
      <SecondaryButton data-first-focus="" className="min-h-12" onClick={handlers.onKeep}>
        Keep the draft
      </SecondaryButton>
    </SheetDialog>
  );
}
