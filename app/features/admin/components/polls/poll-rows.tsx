import { Ban, Check, Clock, Flag } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CELL, DataTable, Row } from '#app/features/admin/components/data-table.tsx';
import { dateLabel, numberLabel } from '#app/features/admin/lib/labels.ts';
import { Chip } from '#app/ui/chip.tsx';
import { ANONYMOUS_USERNAME, IMAGE_SMALL_PX, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { formatVoteCount, normalizeImagePath } from '#shared/polls/rules.ts';
import type { Poll, PollStatus } from '#shared/polls/schema.ts';

type Props = { polls: readonly Poll[]; renderMenu(poll: Poll): ReactNode };

const COLUMNS = [
  { name: 'Poll' },
  { name: 'Made by', className: 'w-[18%]' },
  { name: 'Status', className: 'w-36 lg:w-40' },
  { name: 'Votes', className: 'w-[9%] text-right' },
  { name: 'Created', className: 'w-20 lg:w-24' },
];

export function PollTable({ polls, renderMenu }: Props) {
  return (
    <DataTable caption="Polls" columns={COLUMNS}>
      {polls.map((poll) => (
        <Row key={poll.id}>
          <th scope="row" className={`${CELL} py-1.5 text-left`}>
            <span className="flex items-center gap-3">
              <Thumbnails poll={poll} />
              <span className="wrap-anywhere line-clamp-2 min-w-0 font-bold font-display text-label">
                {poll.question}
              </span>
            </span>
          </th>
          <td className={`${CELL} wrap-anywhere text-muted`}>{poll.user?.username ?? ANONYMOUS_USERNAME}</td>
          <td className={CELL}>
            <StatusChip status={poll.status} />
          </td>
          <td className={`${CELL} figures text-right font-bold`}>{numberLabel(poll.votesCount)}</td>
          <td className={`${CELL} whitespace-nowrap text-muted`}>{dateLabel(poll.createdAt)}</td>
          <td className={`${CELL} pl-0`}>{renderMenu(poll)}</td>
        </Row>
      ))}
    </DataTable>
  );
}

/** The polls on a phone. */
export function PollCards({ polls, renderMenu }: Props) {
  return (
    <ul aria-label="Polls" className="grid gap-2.5">
      {polls.map((poll) => (
        <li key={poll.id} className="card p-3 pr-1.5">
          {/* Wraps when large text leaves no room next to the images. */}
          <div className="flex flex-wrap items-start gap-3">
            <Thumbnails poll={poll} />
            <div className="flex min-w-0 flex-1 basis-36 items-start gap-3">
              <div className="min-w-0 flex-1">
                <h2 className="wrap-anywhere line-clamp-2 text-label">{poll.question}</h2>
                <p className="wrap-anywhere text-muted text-small">
                  {poll.user?.username ?? ANONYMOUS_USERNAME}
                </p>
              </div>
              <div className="-mt-1">{renderMenu(poll)}</div>
            </div>
          </div>
          <div className="flex flex-wrap items-center justify-between gap-2 pt-2 pr-2.5">
            <StatusChip status={poll.status} />
            <p className="text-muted text-small">
              <span className="figures font-bold text-base-content">{formatVoteCount(poll.votesCount)}</span>{' '}
              · {dateLabel(poll.createdAt)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

const STATUSES = {
  active: { icon: Check, tone: 'quiet', label: 'Active' },
  inactive: { icon: Ban, tone: 'error', label: 'Inactive' },
  expired: { icon: Clock, tone: 'outline', label: 'Expired' },
  completed: { icon: Flag, tone: 'strong', label: 'Completed' },
} as const satisfies Record<PollStatus, unknown>;

function StatusChip({ status }: { status: PollStatus }) {
  const { label, ...look } = STATUSES[status];
  return <Chip {...look}>{label}</Chip>;
}

/** Hidden from screen readers: the question next to it says enough. */
function Thumbnails({ poll }: { poll: Poll }) {
  return (
    <span className="grid w-[5.5rem] shrink-0 grid-cols-2 gap-0.5" aria-hidden="true">
      <Thumbnail
        key={poll.option1Image}
        path={poll.option1Image}
        placeholder={PLACEHOLDER_IMAGES[0]}
        className="rounded-l-[12px] rounded-r-inner"
      />
      <Thumbnail
        key={poll.option2Image}
        path={poll.option2Image}
        placeholder={PLACEHOLDER_IMAGES[1]}
        className="rounded-l-inner rounded-r-[12px]"
      />
    </span>
  );
}

type ThumbnailProps = { path: string; placeholder: string; className: string };

function Thumbnail({ path, placeholder, className }: ThumbnailProps) {
  const [isMissing, setMissing] = useState(path === '');
  const url = isMissing ? placeholder : normalizeImagePath(path);
  return (
    <img
      src={url.startsWith('/uploads/') ? `${url}?w=${IMAGE_SMALL_PX}` : url}
      alt=""
      width={44}
      height={44}
      loading="lazy"
      decoding="async"
      onError={() => setMissing(true)}
      className={`aspect-square w-full bg-base-300 object-cover ${className}`}
    />
  );
}
