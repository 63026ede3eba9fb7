import type { ReactNode } from 'react';
import { dateLabel } from '#app/features/admin/lib/admin-words.ts';
import { ANONYMOUS } from '#shared/polls/constants.ts';
import { votesLabel } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { PollChip } from './poll-chip.tsx';
import { PollThumbs } from './poll-thumbs.tsx';

type Props = { polls: readonly Poll[]; menu(poll: Poll): ReactNode };

/** The table of polls on a phone. */
export function PollCards({ polls, menu }: Props) {
  return (
    <ul aria-label="Polls" className="grid gap-2.5">
      {polls.map((poll) => (
        <li key={poll.id} className="rounded-card bg-base-100 p-3 pr-1.5 shadow-card">
          {/* Large text leaves no room beside the pictures. */}
          <div className="flex flex-wrap items-start gap-3">
            <PollThumbs poll={poll} />
            <div className="flex min-w-0 flex-1 basis-36 items-start gap-3">
              <div className="min-w-0 flex-1">
                <h2 className="wrap-anywhere line-clamp-2 text-key">{poll.question}</h2>
                <p className="wrap-anywhere text-muted text-small">{poll.user?.username ?? ANONYMOUS}</p>
              </div>
              <div className="-mt-1">{menu(poll)}</div>
            </div>
          </div>
          <div className="flex flex-wrap items-center justify-between gap-2 pt-2 pr-2.5">
            <PollChip status={poll.status} />
            <p className="text-muted text-small">
              <span className="figures font-bold text-base-content">{votesLabel(poll.votesCount)}</span> ·{' '}
              {dateLabel(poll.createdAt)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
