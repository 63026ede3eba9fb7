import { Ban, EyeOff, Flag, Undo2 } from 'lucide-react';
import { type ComponentProps, useId, useRef } from 'react';
import { blockMaker, hiddenNoticeOf } from '#app/features/polls/actions.ts';
import { useIsWaiting } from '#app/features/polls/hooks/use-is-waiting.ts';
import { rememberCard, useTakeLostFocus } from '#app/features/polls/hooks/use-take-lost-focus.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { UnsentChip, WaitingChip } from '#app/ui/chip.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OrBadge } from '#app/ui/option-letter.tsx';
import type { HiddenView, PollView } from '#sync/operations/operation.ts';

type Props = {
  view: PollView;
  hidden: HiddenView;
  /** See `useTakeLostFocus`. */
  focusKey: string;
};

/** Replaces the card of a poll that the user has reported or whose maker they have blocked, at the same size. */
export default function HiddenCard({ view: { poll }, hidden, focusKey }: Props) {
  const titleId = useId();
  function run(action: () => Promise<unknown>) {
    rememberCard(focusKey);
    void action();
  }
  const isWaiting = useIsWaiting(hidden.op);
  const { title, text, undo } = hiddenNoticeOf(poll, hidden);
  const isMakerBlocked = hidden.username !== undefined;
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
        {[isMakerBlocked ? Ban : Flag, EyeOff].map((icon, index) => (
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
        <FocusTakingButton
          // The button "Block maker" disappears once it is used. With another key a new button is mounted, which takes its focus.
          key={isMakerBlocked ? 'unblock' : 'undo'}
          focusKey={focusKey}
          onClick={() => run(undo)}
        >
          <Icon icon={Undo2} /> {isMakerBlocked ? 'Unblock' : 'Undo'}
        </FocusTakingButton>
        {!isMakerBlocked && makerName !== undefined && (
          <SecondaryButton onClick={() => run(() => blockMaker(makerName, poll.id))}>
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

type FocusTakingButtonProps = ComponentProps<typeof SecondaryButton> & { focusKey: string };

/** A button that, when it is mounted, takes the focus that the user's last action on this card has lost. */
function FocusTakingButton({ focusKey, ...props }: FocusTakingButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useTakeLostFocus(button, focusKey);
  return <SecondaryButton ref={button} {...props} />;
}
