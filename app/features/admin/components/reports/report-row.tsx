import { Ban, Check, Eye, EyeOff, type LucideIcon, MessageSquareQuote, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { numberLabel } from '#app/features/admin/lib/labels.ts';
import { REPORT_KEYS } from '#app/features/admin/lib/report-keys.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { REPORT_REASONS } from '#app/lib/report-reasons.ts';
import { dateLabel, dateTimeLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { Chip } from '#app/ui/chip.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { ReportDecision, ReportedPoll } from '#shared/admin/schema.ts';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import { ReportImages } from './report-images.tsx';

type Props = {
  report: ReportedPoll;
  /** Whether keyboard shortcuts act on this row. */
  isActive: boolean;
  onFocus?(): void;
  /** Absent if the poll already has a decision. */
  onDecide?(action: ReportDecision): void;
};

export function ReportRow({ report, isActive, onFocus, onDecide }: Props) {
  const { poll, maker, reasons, texts } = report;
  const isRemoved = poll.removedFor !== undefined;
  return (
    <li
      tabIndex={-1}
      onFocus={onFocus}
      aria-label={poll.question}
      className={`card grid gap-3 p-3 md:grid-cols-[19.5rem_minmax(0,1fr)_12.5rem] md:items-start ${isActive ? 'md:outline-3 md:outline-base-content' : ''}`}
    >
      <ReportImages report={report} />
      <div className="grid min-w-0 content-start gap-2">
        <h2 className="wrap-anywhere text-question">
          {isRemoved ? (
            poll.question
          ) : (
            <Link to={paths.poll.href(poll.id)} target="_blank" rel="noopener">
              {poll.question}
            </Link>
          )}
        </h2>
        <p className="flex flex-wrap items-center gap-2 text-muted text-small">
          <Avatar name={maker?.username ?? ANONYMOUS_USERNAME} />
          <span className="wrap-anywhere font-semibold text-base-content">
            {maker?.username ?? ANONYMOUS_USERNAME}
          </span>
          {maker !== null && <span>{makerLabel(maker)}</span>}
        </p>
        <p className="flex flex-wrap gap-1.5">
          {reasons.map(({ reason, count }) => (
            <Chip key={reason}>
              {REPORT_REASONS[reason].label} <b className="figures font-bold">{numberLabel(count)}</b>
            </Chip>
          ))}
        </p>
        {texts.length > 0 && (
          <p className="flex gap-2 text-body text-muted">
            <Icon icon={MessageSquareQuote} size={16} className="mt-1" />
            <span className="wrap-anywhere">{texts.map((text) => `“${text}”`).join(' ')}</span>
          </p>
        )}
        <p className="flex flex-wrap items-center gap-2 text-muted text-small">
          <VisibilityChip report={report} />
          {countLabel(report.reports, 'report')}
          {report.firstReportAt !== null && ` · first one ${dateTimeLabel(report.firstReportAt)}`}
        </p>
        {onDecide === undefined && <Decision report={report} />}
      </div>
      {onDecide !== undefined && (
        <div className="flex flex-wrap gap-1.5 *:grow md:grid">
          <DecideButton action="keep" icon={Check} isActive={isActive} onDecide={onDecide}>
            Keep
          </DecideButton>
          <DecideButton action="remove" icon={Trash2} isActive={isActive} onDecide={onDecide}>
            Remove<span className="max-md:sr-only"> poll</span>
          </DecideButton>
          <DecideButton
            action="suspend"
            icon={Ban}
            isActive={isActive}
            isDisabled={maker === null || maker.isProtected}
            onDecide={onDecide}
          >
            Suspend<span className="max-md:sr-only"> maker</span>
          </DecideButton>
        </div>
      )}
    </li>
  );
}

function makerLabel({
  createdAt,
  polls,
  removedPolls,
  isSuspended,
}: NonNullable<ReportedPoll['maker']>): string {
  const parts = [`joined ${dateLabel(createdAt)}`, countLabel(polls, 'poll')];
  if (removedPolls > 0) parts.push(`${numberLabel(removedPolls)} removed recently`);
  if (isSuspended) parts.push('suspended');
  return parts.join(' · ');
}

function VisibilityChip({ report: { poll, isHidden } }: { report: ReportedPoll }) {
  if (poll.removedFor !== undefined) return <Chip icon={Trash2}>Removed</Chip>;
  if (isHidden) {
    return (
      <Chip icon={EyeOff} tone="strong">
        Hidden
      </Chip>
    );
  }
  return (
    <Chip icon={Eye} tone="outline">
      Still shown
    </Chip>
  );
}

function Decision({ report: { decision } }: { report: ReportedPoll }) {
  if (decision === null) return null;
  const { action, rule, admin, decidedAt } = decision;
  const verbs = { keep: 'Kept', remove: 'Removed', suspend: 'Removed, maker suspended' };
  const ruleText = rule === null ? '' : ` · ${REPORT_REASONS[rule].label}`;
  return (
    <p className="text-body">
      <b className="font-bold">
        {verbs[action]}
        {ruleText}
      </b>{' '}
      by {admin ?? 'a deleted user'}, {dateTimeLabel(decidedAt)}
    </p>
  );
}

type ButtonProps = {
  action: ReportDecision;
  icon: LucideIcon;
  isActive: boolean;
  isDisabled?: boolean;
  onDecide(action: ReportDecision): void;
  children: ReactNode;
};

function DecideButton({ action, icon, isActive, isDisabled = false, onDecide, children }: ButtonProps) {
  return (
    <button
      type="button"
      className={`btn justify-start px-3 max-md:px-2 ${action === 'keep' || isDisabled ? '' : 'text-error'}`}
      disabled={isDisabled}
      aria-keyshortcuts={REPORT_KEYS[action]}
      onClick={() => onDecide(action)}
    >
      <Icon icon={icon} size={16} className="max-xs:hidden" />
      <span className="flex-1 text-left">{children}</span>
      {isActive && <KeyCap className="max-md:hidden">{REPORT_KEYS[action]}</KeyCap>}
    </button>
  );
}

export function KeyCap({ className = '', children }: { className?: string; children: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-6 place-items-center rounded-inner bg-base-200 font-bold font-display text-base-content text-small ${className}`}
    >
      {children}
    </span>
  );
}
