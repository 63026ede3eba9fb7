import { useRef, useState } from 'react';
import {
  actionOfKey,
  activeIndexOf,
  focusedIdAfter,
  isKeyHandledElsewhere,
} from '#app/features/admin/lib/report-keys.ts';
import { useDocumentKeys } from '#app/lib/browser/use-document-keys.ts';
import type { ReportDecision, ReportedPoll } from '#shared/admin/schema.ts';

/** The arrow keys move the focus between rows. K, R and S decide about the active row, if there is one. */
export function useReportKeys(
  reports: readonly ReportedPoll[],
  decide: (report: ReportedPoll, action: ReportDecision) => void,
) {
  const rows = useRef<HTMLUListElement>(null);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const activeIndex = activeIndexOf(reports, focusedId);
  useDocumentKeys((event) => {
    if (isKeyHandledElsewhere(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const action = actionOfKey(event);
    const report = reports[activeIndex];
    if (step !== undefined) {
      const nextIndex = Math.min(
        reports.length - 1,
        Math.max(0, focusedId === null ? 0 : activeIndex + step),
      );
      event.preventDefault();
      rows.current?.querySelectorAll<HTMLElement>(':scope > li').item(nextIndex)?.focus();
    } else if (action !== null && report !== undefined) {
      event.preventDefault();
      decide(report, action);
    }
  });

  /** See `focusedIdAfter`. */
  function moveOnFrom(decidedId: string): void {
    setFocusedId(focusedIdAfter(reports, decidedId, focusedId));
  }
  return { rows, activeId: reports[activeIndex]?.id ?? null, setFocusedId, moveOnFrom };
}
