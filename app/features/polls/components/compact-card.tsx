import { Check } from 'lucide-react';
import { useId } from 'react';
import { useVote } from '#app/features/polls/hooks/use-vote.ts';
import { chosenOptionOf, type PollCardState, refusedVoteOf } from '#app/features/polls/lib/card-state.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { timeLeftLabel } from '#app/lib/time.ts';
import { OPTION_LETTERS, OrBadge } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { PollImage } from './card/poll-image.tsx';
import { ChangeVoteLink, PollLink } from './card/poll-meta.tsx';
import { RefusalNotice } from './card/refusal.tsx';
import { Bar } from './card/results.tsx';
import { VoteAnnouncement } from './card/vote-zone.tsx';

type Props = {
  view: PollView;
  nowMs: number;
  /** The `sizes` attribute of the images. */
  sizes: string;
  /** Whether the images are loaded with high priority. */
  priority?: boolean;
  className?: string;
};

/** A poll whose images are the vote buttons. */
export function CompactCard({ view, nowMs, sizes, priority = false, className = '' }: Props) {
  const titleId = useId();
  const { cardState, justVoted, vote, card, ...changeProps } = useVote(view);
  const refusedOp = refusedVoteOf(view, cardState);
  const voteStatus = voteStatusOf(cardState);
  const { poll } = view;
  const isChanging = cardState.kind === 'changing';
  return (
    <article
      {...card}
      aria-labelledby={titleId}
      className={`relative flex min-w-0 flex-col card p-1.5 pb-2 ${className}`}
    >
      <div
        data-zone="images"
        data-figures={cardState.kind === 'results' ? '' : undefined}
        tabIndex={-1}
        className={`pair pair-small z-1 ${cardState.kind === 'open' || isChanging ? '' : 'pointer-events-none'}`}
      >
        {([1, 2] as const).map((option) => (
          <CompactHalf
            key={option}
            view={view}
            option={option}
            cardState={cardState}
            onVote={vote}
            sizes={sizes}
            priority={priority}
          />
        ))}
        <OrBadge />
      </div>
      <div className="grid min-h-[2.625rem] content-start px-1.5 pt-2">
        <h3 id={titleId} className="text-[0.9375rem] leading-[1.0625rem] text-wrap">
          <PollLink poll={poll} />
        </h3>
      </div>
      <div className="mt-auto flex min-h-[1.125rem] flex-wrap items-center gap-x-2.5 px-1.5 text-muted text-small">
        {cardState.kind === 'results' && <Bar share={cardState.share} className="h-1.5 flex-1" />}
        {cardState.kind === 'results' || isChanging ? (
          <ChangeVoteLink poll={poll} {...changeProps} />
        ) : (
          // There is no room for a link beside it.
          <span className="truncate">
            {voteStatus ?? countLabel(poll.votesCount, 'vote')}
            <span className="max-xs:hidden">
              {voteStatus === null
                ? ` · ${poll.status === 'active' ? timeLeftLabel(poll.closesAt, nowMs) : 'Closed'}`
                : ''}
            </span>
          </span>
        )}
      </div>
      <VoteAnnouncement poll={poll} cardState={cardState} justVoted={justVoted} />
      {refusedOp !== null && <RefusalNotice poll={poll} op={refusedOp} />}
    </article>
  );
}

/** The words for a vote that is `waiting` or `unsent`; null for other states. */
function voteStatusOf(cardState: PollCardState): string | null {
  if (cardState.kind === 'unsent') return 'Not sent';
  return cardState.kind === 'waiting' ? 'Waiting to sync' : null;
}

type HalfProps = Pick<Props, 'view' | 'sizes' | 'priority'> & {
  option: Option;
  cardState: PollCardState;
  onVote(option: Option, button: Element): void;
};

/** An image, which is a vote button while the poll is open. The other image is faded unless the vote is being changed. */
function CompactHalf({ view: { poll }, option, cardState, onVote, sizes, priority = false }: HalfProps) {
  const chosenOption = chosenOptionOf(cardState);
  const fadesOther = chosenOption !== null && cardState.kind !== 'changing';
  const caption = captionOf(poll, option);
  const percent = cardState.kind === 'results' ? ` ${cardState.percent[option]}%` : '';
  const content = (
    <>
      <PollImage
        poll={poll}
        option={option}
        alt={caption}
        localUrl={undefined}
        sizes={sizes}
        priority={priority}
      />
      <span className="letter letter-corner" data-option={option}>
        {chosenOption === option ? (
          <>
            <Check size={14} strokeWidth={3.2} aria-hidden="true" />
            <span className="sr-only">(your vote)</span>
          </>
        ) : (
          OPTION_LETTERS[option]
        )}
        {percent !== '' && <span className="figures">{percent}</span>}
      </span>
    </>
  );
  const attributes = {
    className: 'pair-half z-1 cursor-pointer',
    'data-option': option,
    'data-chosen': chosenOption === option ? 'yes' : fadesOther ? 'no' : undefined,
  };
  if (cardState.kind !== 'open' && cardState.kind !== 'changing') return <div {...attributes}>{content}</div>;
  return (
    <button
      type="button"
      aria-label={`Vote for ${caption}`}
      aria-pressed={chosenOption === null ? undefined : chosenOption === option}
      onClick={(event) => onVote(option, event.currentTarget)}
      {...attributes}
    >
      {content}
    </button>
  );
}
