import { ChevronRight, Download, Flag, type LucideIcon, Repeat } from 'lucide-react';
import { useState } from 'react';
import { useAskAgain } from '#app/features/polls/hooks/use-ask-again.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { Icon } from '#app/ui/icon.tsx';
import { buildPath } from '#shared/contract.ts';
import { readResultsCsv } from '#shared/polls/contract.ts';
import { refundOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import CloseDialog from './close-dialog.tsx';
import { CopyConflictDialog } from './copy-conflict.tsx';
import { VotesOverTime } from './votes-chart.tsx';

const OFFLINE_NOTE = 'Needs a connection';

/** The part below a poll that only its maker sees: the votes over time and the maker's actions. */
export default function OwnPoll({ poll, nowMs }: { poll: Poll; nowMs: number }) {
  const user = useUser();
  const isReachable = useReachable();
  const askAgainFlow = useAskAgain(poll);
  const [isClosing, setClosing] = useState(false);
  if (user === null) return null;
  return (
    <>
      <VotesOverTime poll={poll} userId={user.id} nowMs={nowMs} />
      <ul className="mt-4 card p-1.5">
        {poll.status === 'active' && (
          <li>
            <button
              type="button"
              disabled={!isReachable}
              className={ROW_CLASS}
              onClick={() => setClosing(true)}
            >
              <RowContent icon={Flag} title="Close early">
                {isReachable ? closingNote(poll) : OFFLINE_NOTE}
              </RowContent>
            </button>
          </li>
        )}
        <li>
          <button type="button" className={ROW_CLASS} onClick={askAgainFlow.askAgain}>
            <RowContent icon={Repeat} title="Ask again">
              The same poll as a new draft
            </RowContent>
          </button>
        </li>
        <li>
          {isReachable ? (
            <a href={buildPath(readResultsCsv, { params: { id: poll.id } })} download className={ROW_CLASS}>
              <CsvContent>Votes by hour, without names</CsvContent>
            </a>
          ) : (
            <button type="button" disabled className={ROW_CLASS}>
              <CsvContent>{OFFLINE_NOTE}</CsvContent>
            </button>
          )}
        </li>
      </ul>
      {isClosing && <CloseDialog poll={poll} onClose={() => setClosing(false)} />}
      <CopyConflictDialog {...askAgainFlow} />
    </>
  );
}

function closingNote(poll: Poll): string {
  const refund = refundOf(poll);
  if (refund === 0) return 'The result is shown to everyone';
  if (refund === 1) return '1 unused vote comes back as a point';
  return `${refund} unused votes come back as points`;
}

const ROW_CLASS =
  'flex min-h-[62px] w-full cursor-pointer items-center gap-3 rounded-image px-2 py-2 text-left enabled:hover:bg-base-300 [a&]:hover:bg-base-300 disabled:cursor-default';

function CsvContent({ children }: { children: string }) {
  return (
    <RowContent icon={Download} title="Results as CSV">
      {children}
    </RowContent>
  );
}

function RowContent({ icon, title, children }: { icon: LucideIcon; title: string; children: string }) {
  return (
    <>
      <span className="grid size-11 shrink-0 place-items-center rounded-[14px] bg-base-300">
        <Icon icon={icon} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-bold text-body">{title}</span>
        <span className="block text-muted text-small">{children}</span>
      </span>
      <Icon icon={ChevronRight} className="text-muted" />
    </>
  );
}
