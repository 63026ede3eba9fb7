import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, type LucideIcon, Undo2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { needsSwipeHint } from '#app/features/explore/lib/swipe-hint.ts';
import { compareVote } from '#app/features/explore/lib/vote-comparison.ts';
import { Icon } from '#app/ui/icon.tsx';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';

type ControlsProps = { canUndo: boolean; isVoted: boolean; onUndo(): void; onAdvance(): void };

export function DeckControls({ canUndo, isVoted, onUndo, onAdvance }: ControlsProps) {
  return (
    <div className="deck-controls">
      <Control icon={Undo2} keyIcon={ArrowUp} onClick={onUndo} isDisabled={!canUndo}>
        Undo
      </Control>
      <Control icon={isVoted ? ArrowRight : ArrowDown} keyIcon={ArrowDown} onClick={onAdvance}>
        {isVoted ? 'Next' : 'Skip'}
      </Control>
    </div>
  );
}

type ControlProps = {
  icon: LucideIcon;
  /** The keyboard shortcut, shown on a desktop. */
  keyIcon: LucideIcon;
  /** With `aria-disabled`, since a disabled button would lose the focus. */
  isDisabled?: boolean;
  onClick(): void;
  children: ReactNode;
};

function Control({ icon, keyIcon, isDisabled = false, onClick, children }: ControlProps) {
  return (
    <button
      type="button"
      className="deck-control font-semibold text-body"
      aria-disabled={isDisabled || undefined}
      onClick={() => !isDisabled && onClick()}
    >
      <span className="deck-cap">
        <Icon icon={icon} />
        <Icon icon={keyIcon} />
      </span>
      {children}
    </button>
  );
}

type ArrowKeyProps = { view: PollView; option: Option; isVoted: boolean; onVote(option: Option): void };

/**
 * A button beside the card, shown on a desktop, that looks like an arrow key and does the same: it votes for an option and, after
 * the vote, shows the next card. Screen readers get the buttons of the card.
 */
export function ArrowKey({ view, option, isVoted, onVote }: ArrowKeyProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      className="deck-arrow"
      data-option={option}
      onClick={() => onVote(option)}
    >
      <span className="deck-cap">
        <Icon icon={option === 1 ? ArrowLeft : ArrowRight} size={24} />
      </span>
      <span className="flex min-h-6 min-w-0 items-center gap-2 font-semibold text-small">
        {isVoted ? (
          'Next'
        ) : (
          <>
            <OptionLetter option={option} />
            <span dir="auto" className="line-clamp-2 wrap-anywhere">
              {captionOf(view.poll, option)}
            </span>
          </>
        )}
      </span>
    </button>
  );
}

type HintProps = { view: PollView; isVoted: boolean };

/**
 * After the vote: how it compares with the other votes. Before the vote, on the first cards: a hint that cards can be swiped,
 * which is decided on mount, so this needs a `key` that changes with the card.
 */
export function DeckHint({ view, isVoted }: HintProps) {
  const [hasSwipeHint] = useState(needsSwipeHint);
  const comparison = isVoted ? compareVote(view) : null;
  return (
    <p className="deck-hint text-body">
      {comparison !== null && (
        <>
          <Icon icon={Users} /> <b className="font-bold">{comparison}</b>
        </>
      )}
      {!isVoted && hasSwipeHint && (
        <span className="deck-swipe-hint">
          <OptionLetter option={1} />
          <Icon icon={ArrowLeft} size={16} />
          Swipe to vote
          <Icon icon={ArrowRight} size={16} />
          <OptionLetter option={2} />
        </span>
      )}
    </p>
  );
}
