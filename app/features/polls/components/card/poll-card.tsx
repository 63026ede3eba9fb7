import { memo, useId } from 'react';
import { Link } from 'react-router-dom';
import { onCardKey, useVote } from '#app/features/polls/hooks/use-vote.ts';
import { useWatchedPoll } from '#app/features/polls/hooks/use-watched-poll.ts';
import { looksTheSame } from '#app/features/polls/lib/card-state.ts';
import { useLocalImages } from '#app/features/polls/lib/local-images.ts';
import { paths } from '#app/paths.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { PollMeta } from './poll-meta.tsx';
import { PollPair } from './poll-pair.tsx';
import { VoteZone } from './vote-zone.tsx';

type Props = { view: PollView; nowMs: number; priority?: boolean };

const SIZES = '(min-width: 64rem) 190px, (min-width: 48.0625rem) 25vw, 50vw';

/** A poll in a list. Its keys vote; anywhere else opens it. */
export const PollCard = memo(
  function PollCard({ view, nowMs, priority = false }: Props) {
    const titleId = useId();
    const { cardState, fresh, vote, ignoreSecondTap, ...change } = useVote(view);
    const watched = useWatchedPoll(view.poll.id);
    const local = useLocalImages(view.createOp?.opId ?? null);
    return (
      <article
        ref={watched}
        aria-labelledby={titleId}
        onKeyDown={(event) => onCardKey(event, change.keepVote)}
        onClickCapture={ignoreSecondTap}
        className="poll-card relative row-span-4 grid min-w-0 grid-cols-1 grid-rows-subgrid content-start rounded-card bg-base-100 p-2 shadow-card"
      >
        <h3 id={titleId} className="px-2 pt-1.5 pb-3 text-question">
          <Link
            to={paths.poll.href(view.poll.id)}
            className="line-clamp-2 wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-3"
          >
            {view.poll.question}
          </Link>
        </h3>
        <PollPair poll={view.poll} cardState={cardState} local={local} sizes={SIZES} priority={priority} />
        <VoteZone view={view} cardState={cardState} fresh={fresh} onVote={vote} />
        <PollMeta view={view} nowMs={nowMs} {...change} />
      </article>
    );
  },
  (a, b) => a.nowMs === b.nowMs && a.priority === b.priority && looksTheSame(a.view, b.view),
);
