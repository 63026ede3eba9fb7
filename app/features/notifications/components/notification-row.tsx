import { Bell, Check, Eye, Flag, MessageCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useUser } from '#app/lib/engine/session.ts';
import { REPORT_REASONS } from '#app/lib/report-reasons.ts';
import { timeLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { DayRow } from '#app/ui/day-list.tsx';
import { MissingPollPair, smallIcon, ThumbnailPair } from '#app/ui/feedback/empty-state.tsx';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import { initials } from '#shared/accounts/rules.ts';
import type { Notification } from '#shared/notifications/schema.ts';
import { notificationText, notificationTitle, resultOf } from '#shared/notifications/text-rules.ts';
import type { PollSummary } from '#shared/polls/schema.ts';

type Props = { notification: Notification; renderThumbnail(poll: PollSummary): ReactNode };

/** One notification; a tap opens its poll, if it has one. */
export function NotificationRow({ notification, renderThumbnail }: Props) {
  const { poll, createdAt, readAt } = notification;
  const isUnread = readAt === null;
  const row = (
    <DayRow
      image={poll === null ? <NotificationImage notification={notification} /> : renderThumbnail(poll)}
      title={
        <span className={isUnread ? 'font-bold' : 'font-medium'}>
          {notificationTitle(notification)}
          {isUnread && <span className="sr-only"> (new)</span>}
        </span>
      }
      text={<NotificationText notification={notification} />}
      // Only a poll can be opened to read more.
      isTextWhole={poll === null}
      end={
        <span className="grid shrink-0 justify-items-end gap-1.5 self-start text-muted text-small">
          <time dateTime={createdAt}>{timeLabel(createdAt)}</time>
          {isUnread && <span className="size-2.5 animate-pop rounded-full bg-neutral" />}
        </span>
      }
    />
  );
  if (poll === null) return row;
  return (
    <Link to={paths.poll.href(poll.id)} className="block rounded-control">
      {row}
    </Link>
  );
}

function NotificationText({ notification }: { notification: Notification }) {
  const { kind, poll, rule } = notification;
  if (kind === 'removed') {
    if (rule === null) return 'By an administrator';
    return (
      <>
        {rule === 'other' ? 'It broke ' : 'It broke a rule: '}
        <Link to={paths.rules.href()} className="font-semibold text-base-content underline">
          {rule === 'other' ? 'our rules' : REPORT_REASONS[rule].label}
        </Link>
        .{' '}
        <span className="whitespace-nowrap">
          See{' '}
          <Link to={paths.myPolls.href()} className="font-semibold text-base-content underline">
            My Polls
          </Link>
          .
        </span>
      </>
    );
  }
  if (poll === null || kind === 'unknown') return notificationText(notification);
  if (kind === 'first_vote' || kind === 'halfway') return poll.question;
  const result = resultOf(poll);
  if (typeof result === 'string') return result;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <OptionLetter option={result.option} />
      <span className="truncate">
        {result.caption}, {result.percent}%
      </span>
    </span>
  );
}

function NotificationImage({ notification: { kind, user, verdict } }: { notification: Notification }) {
  const ownUser = useUser();
  switch (kind) {
    case 'referral_joined':
    case 'referral_verified':
      return (
        <ThumbnailPair
          halves={[initials(ownUser?.username ?? ''), initials(user?.username ?? '') || '?']}
          badge="&"
        />
      );
    case 'report_resolved':
      return <ThumbnailPair halves={[smallIcon(Flag), smallIcon(verdict === 'upheld' ? Check : Eye)]} />;
    case 'unknown':
      return <ThumbnailPair halves={[smallIcon(Bell), smallIcon(MessageCircle)]} />;
    default:
      return <MissingPollPair />;
  }
}
