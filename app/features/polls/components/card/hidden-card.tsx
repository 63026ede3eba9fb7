import { Ban, EyeOff, Flag, Undo2 } from 'lucide-react';
import { type ComponentProps, useId, useRef } from 'react';
import { blockMaker, hiddenNoticeOf } from '#app/features/polls/actions.ts';
import { useIsWaiting } from '#app/features/polls/hooks/use-is-waiting.ts';
import { rememberCard, useTakeLostFocus } from '#app/features/polls/hooks/use-take-lost-focus.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OrBadge } from '#app/ui/option-letter.tsx';
import type { HiddenView, PollView } from '#sync/operations/operation.ts';
import { UnsentChip, WaitingChip } from './results.tsx';

type Props = {
  view: PollView;
  hidden: HiddenView;
  /** See `useTakeLostFocus`. */
  focusKey: string;
};

/** Replaces the card of a poll that the user has reported or whose maker they have blocked, at the same size. */
export default function HiddenCard({ view: { poll }, hidden, focusKey }: Props) {
  const titleId = useId();
  function change(work: Promise<unknown>) {
    rememberCard(focusKey);
    void work;
  }
  const isWaiting = useIsWaiting(hidden.op);
  const { title, text, undo } = hiddenNoticeOf(poll, hidden);
  const isBlocked = hidden.username !== undefined;
  const makerName = poll.user?.username;
  return (
    <article
      aria-labelledby={titleId}
      className="poll-card relative row-span-4 grid min-w-0 animate-enter grid-cols-1 grid-rows-subgrid content-start card p-2"
    >
      <h3 id={titleId} className="wrap-anywhere px-2 pt-1.5 pb-3 text-question">
        {title}
      </h3>
      <div className="pair" aria-hidden="true">
        {[isBlocked ? Ban : Flag, EyeOff].map((icon, index) => (
          <div
            key={index === 0 ? 'left' : 'right'}
            className="pair-half grid place-items-center bg-base-300 text-muted"
            data-option={index + 1}
          >
            <Icon icon={icon} size={40} />
          </div>
        ))}
        <OrBadge />
      </div>
      <div className="flex flex-wrap gap-1.5 pt-2 *:flex-1">
        <FocusedButton
          // Block maker disappears when it is used: a new button is mounted, which takes its focus.
          key={isBlocked ? 'unblock' : 'undo'}
          focusKey={focusKey}
          onClick={() => change(undo())}
        >
          <Icon icon={Undo2} /> {isBlocked ? 'Unblock' : 'Undo'}
        </FocusedButton>
        {!isBlocked && makerName !== undefined && (
          <SecondaryButton onClick={() => change(blockMaker(makerName, poll.id))}>
            <Icon icon={Ban} /> Block maker
          </SecondaryButton>
        )}
      </div>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 px-1.5 pt-1.5">
        <span className="text-muted text-small">{text}</span>
        {hidden.op?.state === 'needs_attention' ? <UnsentChip /> : isWaiting && <WaitingChip />}
      </div>
    </article>
  );
}

type FocusedButtonProps = ComponentProps<typeof SecondaryButton> & { focusKey: string };

/** A button that takes a lost focus as `useTakeLostFocus` says. */
function FocusedButton({ focusKey, ...props }: FocusedButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useTakeLostFocus(button, focusKey);
  return <SecondaryButton ref={button} {...props} />;
}
