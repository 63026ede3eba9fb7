import { Check, RotateCw, Undo2, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasNoMoreToLoad } from '#app/features/explore/queries.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState, IconPair } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';

type EndProps = {
  isReachable: boolean;
  /** Whether there are no polls at all, not even polls that are not in the deck. */
  hasNoPolls: boolean;
  skippedCount: number;
  onStartNewPass(): void;
  createButton: ReactNode;
};

type Props = EndProps & {
  view: DeckView | undefined;
  hasFailed: boolean;
  onRetry(): void;
  skeleton: ReactNode;
};

/** Shown in place of the cards: while the first cards load, when loading failed, and after the last card. */
export function NoCards({ view, hasFailed, onRetry, skeleton, ...endProps }: Props) {
  if (hasNoMoreToLoad(view, endProps.isReachable)) return <DeckEnd {...endProps} />;
  if (view !== undefined && !endProps.isReachable) return <NotOnDevice subject="the polls of the deck" />;
  if (hasFailed) return <DeckError onRetry={onRetry} />;
  return (
    <div className="deck">
      <div className="deck-loading">{skeleton}</div>
    </div>
  );
}

function DeckEnd({ isReachable, hasNoPolls, skippedCount, onStartNewPass, createButton }: EndProps) {
  if (isReachable && hasNoPolls) {
    return (
      <EmptyState title="No polls yet" text="Be the first to create a poll!">
        {createButton}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      graphic={<IconPair icons={isReachable ? [Check, Check] : [WifiOff, WifiOff]} />}
      title={isReachable ? 'You have seen them all' : 'No more on this device'}
      text={
        isReachable
          ? 'New polls come in all day. Ask one of your own while you wait.'
          : 'The rest will load when you are back online.'
      }
    >
      {isReachable && createButton}
      {skippedCount > 0 && (
        <SecondaryButton onClick={onStartNewPass}>
          <Icon icon={Undo2} /> Back to {countLabel(skippedCount, 'skipped poll')}
        </SecondaryButton>
      )}
    </EmptyState>
  );
}

function DeckError({ onRetry }: { onRetry(): void }) {
  return (
    <div className="mx-auto grid w-full max-w-[35rem] gap-2.5 pt-3">
      <ListError />
      <SecondaryButton onClick={onRetry}>
        <Icon icon={RotateCw} /> Try again
      </SecondaryButton>
    </div>
  );
}
