import { Ban, Check, Clock, ExternalLink, EyeOff, Flag, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { deletePoll, setPollActive } from '#app/features/admin/actions.ts';
import { BulkUpload } from '#app/features/admin/components/jobs/bulk-upload.tsx';
import { SampleGenerator } from '#app/features/admin/components/jobs/sample-polls.tsx';
import { numberLabel } from '#app/features/admin/lib/labels.ts';
import { smallImageUrl } from '#app/features/admin/lib/small-image-url.ts';
import { fetchPolls } from '#app/features/admin/queries.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { dateLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { Chip } from '#app/ui/chip.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ANONYMOUS_USERNAME, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import type { Poll, PollStatus } from '#shared/polls/schema.ts';
import { ItemList } from './item-list.tsx';

export function PollsTab({ searchText }: { searchText: string }) {
  return (
    <>
      <PollList searchText={searchText} />
      <div className="grid items-start gap-2.5 pt-5 md:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)] md:gap-5">
        <BulkUpload />
        <Panel title="Sample polls">
          <SampleGenerator />
        </Panel>
      </div>
    </>
  );
}

function PollList({ searchText }: { searchText: string }) {
  return (
    <ItemList
      noun="poll"
      searchText={searchText}
      fetchPage={fetchPolls}
      columns={[
        { name: 'Poll', cellClass: 'py-1.5', render: (poll) => <Question poll={poll} /> },
        {
          name: 'Maker',
          headClass: 'w-[18%]',
          cellClass: 'wrap-anywhere text-muted',
          render: (poll) => <Maker poll={poll} />,
        },
        { name: 'Status', headClass: 'w-36 lg:w-40', render: (poll) => <StatusChip poll={poll} /> },
        {
          name: 'Votes',
          headClass: 'w-[9%] text-right',
          cellClass: 'figures text-right font-bold',
          render: ({ votesCount }) => numberLabel(votesCount),
        },
        {
          name: 'Created',
          headClass: 'w-20 lg:w-24',
          cellClass: 'whitespace-nowrap text-muted',
          render: ({ createdAt }) => dateLabel(createdAt),
        },
      ]}
      renderCard={(poll, menu) => <PollCard poll={poll} menu={menu} />}
      menuOf={(poll, apply) => ({
        label: `Actions for ${poll.question}`,
        // A removed poll has no page, and cannot be activated.
        items:
          poll.removedFor !== undefined
            ? []
            : [
                { icon: ExternalLink, label: 'Open poll', href: paths.poll.href(poll.id) },
                poll.active
                  ? { icon: Ban, label: 'Deactivate', onSelect: () => apply(setPollActive(poll, false)) }
                  : { icon: Check, label: 'Activate', onSelect: () => apply(setPollActive(poll, true)) },
              ],
      })}
      deletion={{
        titleOf: () => 'Delete this poll?',
        textOf: ({ question }) =>
          `“${question}” will be deleted for good, with its votes and images. Voters keep their points.`,
        run: deletePoll,
      }}
    />
  );
}

function Question({ poll }: { poll: Poll }) {
  return (
    <span className="flex items-center gap-3">
      <Thumbnails poll={poll} />
      <span className="wrap-anywhere line-clamp-2 min-w-0 font-bold font-display text-label">
        {poll.question}
      </span>
    </span>
  );
}

function Maker({ poll: { user, isSample } }: { poll: Poll }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {user?.username ?? ANONYMOUS_USERNAME}
      {isSample && <Chip tone="outline">Sample</Chip>}
    </span>
  );
}

function PollCard({ poll, menu }: { poll: Poll; menu: ReactNode }) {
  return (
    <li className="card p-3 pr-1.5">
      {/* Wraps when large text leaves no space next to the images. */}
      <div className="flex flex-wrap items-start gap-3">
        <Thumbnails poll={poll} />
        <div className="flex min-w-0 flex-1 basis-36 items-start gap-3">
          <div className="min-w-0 flex-1">
            <h2 className="wrap-anywhere line-clamp-2 text-label">{poll.question}</h2>
            <p className="wrap-anywhere text-muted text-small">
              <Maker poll={poll} />
            </p>
          </div>
          <div className="-mt-1">{menu}</div>
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2 pt-2 pr-2.5">
        <StatusChip poll={poll} />
        <p className="text-muted text-small">
          <span className="figures font-bold text-base-content">{countLabel(poll.votesCount, 'vote')}</span> ·{' '}
          {dateLabel(poll.createdAt)}
        </p>
      </div>
    </li>
  );
}

const STATUSES = {
  active: { icon: Check, tone: 'quiet', children: 'Active' },
  inactive: { icon: Ban, tone: 'error', children: 'Inactive' },
  expired: { icon: Clock, tone: 'outline', children: 'Expired' },
  completed: { icon: Flag, tone: 'strong', children: 'Completed' },
} as const satisfies Record<PollStatus, unknown>;

function StatusChip({ poll: { status, removedFor, hidden, closedEarly } }: { poll: Poll }) {
  if (removedFor !== undefined) {
    return (
      <Chip icon={Trash2} tone="error">
        Removed
      </Chip>
    );
  }
  if (hidden) {
    return (
      <Chip icon={EyeOff} tone="error">
        Hidden
      </Chip>
    );
  }
  if (closedEarly && status === 'expired') return <Chip {...STATUSES.expired}>Closed early</Chip>;
  return <Chip {...STATUSES[status]} />;
}

/**
 * Hidden from screen readers, because the question is next to it. Shows placeholders for a removed poll, whose images the server
 * does not serve.
 */
function Thumbnails({ poll }: { poll: Poll }) {
  const [placeholderA, placeholderB] = PLACEHOLDER_IMAGES;
  const isRemoved = poll.removedFor !== undefined;
  const [pathA, pathB] = isRemoved ? ['', ''] : [poll.option1Image, poll.option2Image];
  return (
    <span className="grid w-[5.5rem] shrink-0 grid-cols-2 gap-0.5" aria-hidden="true">
      <Thumbnail
        key={`A ${pathA}`}
        path={pathA}
        placeholder={placeholderA}
        className="rounded-l-[12px] rounded-r-inner"
      />
      <Thumbnail
        key={`B ${pathB}`}
        path={pathB}
        placeholder={placeholderB}
        className="rounded-l-inner rounded-r-[12px]"
      />
    </span>
  );
}

type ThumbnailProps = { path: string; placeholder: string; className: string };

function Thumbnail({ path, placeholder, className }: ThumbnailProps) {
  const [isMissing, setMissing] = useState(path === '');
  return (
    <img
      src={isMissing ? placeholder : smallImageUrl(path)}
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
