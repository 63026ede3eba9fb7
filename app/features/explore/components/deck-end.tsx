import { Check, RotateCw, Undo2, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { countLabel } from '#app/lib/count-label.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState, IconPair } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { ListError } from '#app/ui/list-error.tsx';

type EndProps = { isOffline: boolean; skipped: number; onRepeat(): void; createButton: ReactNode };

/** After the last card. */
export function DeckEnd({ isOffline, skipped, onRepeat, createButton }: EndProps) {
  return (
    <EmptyState
      illustration={<IconPair icons={isOffline ? [WifiOff, WifiOff] : [Check, Check]} />}
      title={isOffline ? 'No more on this device' : 'You have seen them all'}
      text={
        isOffline
          ? 'The others come with the connection.'
          : 'New polls come in all day. Ask one of your own while you wait.'
      }
    >
      {createButton}
      {skipped > 0 && (
        <SecondaryButton onClick={onRepeat}>
          <Icon icon={Undo2} /> Back to {countLabel(skipped, 'skipped poll')}
        </SecondaryButton>
      )}
    </EmptyState>
  );
}

export function DeckError({ onRetry }: { onRetry(): void }) {
  return (
    <div className="mx-auto grid w-full max-w-[35rem] gap-2.5 pt-3">
      <ListError />
      <SecondaryButton onClick={onRetry}>
        <Icon icon={RotateCw} /> Try again
      </SecondaryButton>
    </div>
  );
}
