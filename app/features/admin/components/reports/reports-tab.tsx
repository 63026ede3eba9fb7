import { useState } from 'react';
import { decideReport } from '#app/features/admin/actions.ts';
import { ListState } from '#app/features/admin/components/lists/list-state.tsx';
import { type FetchPage, useList } from '#app/features/admin/hooks/use-list.ts';
import { useReportKeys } from '#app/features/admin/hooks/use-report-keys.ts';
import { queryClient } from '#app/features/admin/lib/query-client.tsx';
import { reportCountQuery } from '#app/features/admin/lib/report-count.ts';
import { REPORT_KEYS } from '#app/features/admin/lib/report-keys.ts';
import { fetchReports } from '#app/features/admin/queries.ts';
import { useIsDesktop } from '#app/lib/browser/media.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import type { ReportDecision, ReportedPoll } from '#shared/admin/schema.ts';
import { KeyCap, ReportRow } from './report-row.tsx';

const PANEL_ID = 'reports-panel';
type State = 'open' | 'done';
const STATE_LABELS: Readonly<Record<State, string>> = { open: 'Open', done: 'Done' };

/** Reported polls: those that need a decision, and those already decided. */
export function ReportsTab() {
  const [state, setState] = useState<State>('open');
  return (
    <>
      <div className="flex justify-end pb-2.5">
        <SegmentedControl<State>
          label="Reports"
          value={state}
          segments={STATE_LABELS}
          onChange={setState}
          panelId={PANEL_ID}
          className="max-md:w-full"
        />
      </div>
      <div id={PANEL_ID} role="tabpanel" aria-label={STATE_LABELS[state]}>
        {state === 'open' ? <OpenReports /> : <DecidedReports />}
      </div>
    </>
  );
}

const fetchOpen: FetchPage<ReportedPoll> = (query, signal) => fetchReports('open', query, signal);
const fetchDone: FetchPage<ReportedPoll> = (query, signal) => fetchReports('done', query, signal);

function OpenReports() {
  const { items, fetchedAtMs, ...list } = useList('open reports', fetchOpen);
  /**
   * When polls got their decision, by id and `performance.now()`: infinity while it is sent, 0 if there is none after all. A list
   * that was fetched before may still contain the poll.
   */
  const [decisionTimesMs, setDecisionTimesMs] = useState<ReadonlyMap<string, number>>(new Map());
  const [pendingSuspension, setPendingSuspension] = useState<ReportedPoll | null>(null);
  const undecided = items.filter(({ id }) => (decisionTimesMs.get(id) ?? 0) <= fetchedAtMs);
  const isDesktop = useIsDesktop();

  function reload(): void {
    list.reload();
    // The Undo button of the toast may be tapped while the decided reports are on the screen.
    for (const queryKey of [['decided reports'], reportCountQuery.queryKey])
      void queryClient.invalidateQueries({ queryKey });
  }

  function storeDecisionTime(id: string, timeMs: number): void {
    setDecisionTimesMs((times) => new Map([...times, [id, timeMs]]));
  }

  async function applyDecision(report: ReportedPoll, action: ReportDecision): Promise<void> {
    const { id } = report;
    moveOnFrom(id);
    storeDecisionTime(id, Number.POSITIVE_INFINITY);
    const isDecided = await decideReport(report, action, () => void undo(report));
    storeDecisionTime(id, isDecided ? performance.now() : 0);
    reload();
  }

  async function undo(report: ReportedPoll): Promise<void> {
    await decideReport(report, 'undo');
    storeDecisionTime(report.id, 0);
    reload();
  }

  function decide(report: ReportedPoll, action: ReportDecision): void {
    if (action !== 'suspend') void applyDecision(report, action);
    else if (report.maker !== null && !report.maker.isProtected) setPendingSuspension(report);
  }

  // After a failed reload the reports are still in the cache, but not on the screen.
  const shown = list.phase === 'error' ? [] : undecided;
  const { rows, activeId, setFocusedId, moveOnFrom } = useReportKeys(shown, decide);
  return (
    <>
      <ListState
        list={list}
        itemsName="reports"
        failure="Failed to fetch reports"
        emptyTitle="Nothing reported"
      >
        <ul ref={rows} className="grid gap-2.5">
          {undecided.map((report) => (
            <ReportRow
              key={report.id}
              report={report}
              isActive={report.id === activeId}
              onFocus={() => setFocusedId(report.id)}
              onDecide={(action) => decide(report, action)}
            />
          ))}
        </ul>
        {isDesktop && <KeyLegend />}
      </ListState>
      {pendingSuspension !== null && (
        <SuspendDialog
          name={pendingSuspension.maker?.username ?? ''}
          onClose={() => setPendingSuspension(null)}
          onSuspend={() => {
            setPendingSuspension(null);
            void applyDecision(pendingSuspension, 'suspend');
          }}
        />
      )}
    </>
  );
}

const KEY_LEGEND = [
  [['↑', '↓'], 'move'],
  [[REPORT_KEYS.keep], 'keep'],
  [[REPORT_KEYS.remove], 'remove'],
  [[REPORT_KEYS.suspend], 'suspend'],
] as const;

function KeyLegend() {
  return (
    <p className="flex justify-end gap-4 pt-2 text-muted text-small">
      {KEY_LEGEND.map(([caps, name]) => (
        <span key={name} className="flex items-center gap-1.5">
          {caps.map((cap) => (
            <KeyCap key={cap}>{cap}</KeyCap>
          ))}
          {name}
        </span>
      ))}
    </p>
  );
}

type SuspendProps = { name: string; onClose(): void; onSuspend(): void };

function SuspendDialog({ name, onClose, onSuspend }: SuspendProps) {
  return (
    <SheetDialog title={`Suspend ${name}?`} onClose={onClose}>
      <p className="pb-2 text-field text-muted">
        They will be logged out everywhere and will not be able to log in. The poll will be removed too.
      </p>
      <SecondaryButton className="min-h-12" onClick={onClose}>
        Cancel
      </SecondaryButton>
      <SecondaryButton ghost className="min-h-12 text-error" onClick={onSuspend}>
        Suspend {name}
      </SecondaryButton>
    </SheetDialog>
  );
}

function DecidedReports() {
  const { items, ...list } = useList('decided reports', fetchDone);
  return (
    <ListState
      list={list}
      itemsName="decisions"
      failure="Failed to fetch reports"
      emptyTitle="Nothing decided yet"
    >
      <ul className="grid gap-2.5">
        {items.map((report) => (
          <ReportRow key={report.id} report={report} isActive={false} />
        ))}
      </ul>
    </ListState>
  );
}
