import DraftConflictDialog from '#app/features/polls/components/create/draft-conflict.tsx';
import type { useAskAgain } from '#app/features/polls/hooks/use-ask-again.ts';

/** Asks before a draft is replaced by the copy of a poll. */
export function CopyConflictDialog({ conflict, replace, keep }: ReturnType<typeof useAskAgain>) {
  if (conflict === null) return null;
  return (
    <DraftConflictDialog
      draft={conflict}
      replacement="A copy of this poll"
      replaceLabel="Ask again"
      onReplace={replace}
      onKeep={keep}
      onClose={keep}
    />
  );
}
