import { memo, useId } from 'react';
import { MenuButton } from '#app/features/polls/components/menu/menu-button.tsx';
import { useVote } from '#app/features/polls/hooks/use-vote.ts';
import { looksTheSame } from '#app/features/polls/lib/card-state.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { PollImages } from './poll-images.tsx';
import { PollLink, PollMeta } from './poll-meta.tsx';
import { VoteZone } from './vote-zone.tsx';

type Props = { view: PollView; nowMs: number; priority?: boolean; focusKey?: string };

const SIZES = '(min-width: 64rem) 190px, (min-width: 48.0625rem) 25vw, 50vw';

/** A poll in a list. Its buttons vote; a click anywhere else opens the poll. */
export const PollCard = memo(
  function PollCard({ view, nowMs, priority = false, focusKey }: Props) {
    const titleId = useId();
    const { cardState, justVoted, vote, card, ...changeProps } = useVote(view);
    return (
      <article
        {...card}
        aria-labelledby={titleId}
        className="poll-card relative row-span-4 grid min-w-0 grid-cols-1 grid-rows-subgrid content-start card p-2"
      >
        <h3 id={titleId} className="wrap-anywhere px-2 pt-1.5 pr-9 pb-3 text-question">
          {view.poll.removedFor === undefined ? <PollLink poll={view.poll} /> : view.poll.question}
        </h3>
        <MenuButton view={view} focusKey={focusKey} className="absolute top-1 right-1" />
        <PollImages view={view} cardState={cardState} sizes={SIZES} priority={priority} />
        <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        <PollMeta view={view} nowMs={nowMs} {...changeProps} />
      </article>
    );
  },
  (before, after) =>
    before.nowMs === after.nowMs &&
    before.priority === after.priority &&
    looksTheSame(before.view, after.view),
);
