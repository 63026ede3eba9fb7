import type { ReactNode } from 'react';
import { dateLabel, numberLabel } from '#app/features/admin/lib/admin-words.ts';
import { CELL, HEAD, ROW, TABLE } from '#app/features/admin/lib/table-look.ts';
import { ANONYMOUS } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { PollChip } from './poll-chip.tsx';
import { PollThumbs } from './poll-thumbs.tsx';

type Props = { polls: readonly Poll[]; menu(poll: Poll): ReactNode };

export function PollTable({ polls, menu }: Props) {
  return (
    <table className={TABLE}>
      <caption className="sr-only">Polls</caption>
      <thead>
        <tr>
          <th scope="col" className={HEAD}>
            Poll
          </th>
          <th scope="col" className={`${HEAD} w-[18%]`}>
            Made by
          </th>
          <th scope="col" className={`${HEAD} w-36 lg:w-40`}>
            Status
          </th>
          <th scope="col" className={`${HEAD} w-[9%] text-right`}>
            Votes
          </th>
          <th scope="col" className={`${HEAD} w-20 lg:w-24`}>
            Created
          </th>
          <th scope="col" className={`${HEAD} w-16`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {polls.map((poll) => (
          <tr key={poll.id} className={ROW}>
            <th scope="row" className={`${CELL} py-1.5 text-left`}>
              <span className="flex items-center gap-3">
                <PollThumbs poll={poll} />
                <span className="wrap-anywhere line-clamp-2 min-w-0 font-bold font-display text-key">
                  {poll.question}
                </span>
              </span>
            </th>
            <td className={`${CELL} wrap-anywhere text-muted`}>{poll.user?.username ?? ANONYMOUS}</td>
            <td className={CELL}>
              <PollChip status={poll.status} />
            </td>
            <td className={`${CELL} figures text-right font-bold`}>{numberLabel(poll.votesCount)}</td>
            <td className={`${CELL} whitespace-nowrap text-muted`}>{dateLabel(poll.createdAt)}</td>
            <td className={`${CELL} pl-0`}>{menu(poll)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
