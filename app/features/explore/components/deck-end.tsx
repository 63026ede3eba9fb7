import { Check, RotateCw, Undo2, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { countLabel } from '#app/lib/count-label.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState, IconPair } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';

type EndProps = { reachable: boolean; skipped: number; onRepeat(): void; createButton: ReactNode };

type Props = EndProps & {
  view: DeckView | undefined;
  hasFailed: boolean;
  onRetry(): void;
  skeleton: ReactNode;
};

/** Whether no more cards can be loaded, because the server has no more or cannot be reached; false until the deck is read. */
export function isDeckExhausted(view: DeckView | undefined, reachable: boolean): boolean {
  const meta = view?.meta ?? null;
  return meta !== null && !(reachable && meta.hasMore);
}

/** Shown in place of the cards: while the first ones load, when loading failed, and after the last one. */
export function NoCards({ view, hasFailed, onRetry, skeleton, ...end }: Props) {
  if (isDeckExhausted(view, end.reachable)) return <DeckEnd {...end} />;
  if (view !== undefined && !end.reachable) return <NotOnDevice what="the polls" />;
  if (hasFailed) return <DeckError onRetry={onRetry} />;
  return (
    <div className="deck">
      <div className="deck-loading">{skeleton}</div>
    </div>
  );
}

function DeckEnd({ reachable, skipped, onRepeat, createButton }: EndProps) {
  return (
    <EmptyState
      illustration={<IconPair icons={reachable ? [Check, Check] : [WifiOff, WifiOff]} />}
      title={reachable ? 'You have seen them all' : 'No more on this device'}
      text={
        reachable
          ? 'New polls come in all day. Ask one of your own while you wait.'
          : 'The rest will load when you are back online.'
      }
    >
      {reachable && createButton}
      {skipped > 0 && (
        <SecondaryButton onClick={onRepeat}>
          <Icon icon={Undo2} /> Back to {countLabel(skipped, 'skipped poll')}
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
