import { CircleCheck, Download, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDataExport } from '#app/features/accounts/hooks/use-data-export.ts';
import { bytesLabel } from '#app/lib/bytes-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { dateTimeLabel } from '#app/lib/time.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Progress } from '#app/ui/feedback/progress.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { downloadExport } from '#shared/accounts/contract.ts';

const REQUEST_LABELS = {
  none: 'Get it ready',
  ready: 'Get a new one ready',
  failed: 'Try again',
} as const;

/** Requests and downloads the export file, which the server writes on demand. */
export function YourDataPanel({ userId }: { userId: number }) {
  const isReachable = useReachable();
  const { dataExport, error, isRequesting, requestNew } = useDataExport(userId, isReachable);
  // Disabled until the state is known, since a new export would replace a file that is ready.
  const isDisabled = isRequesting || dataExport === undefined;
  return (
    <Panel title="Your data">
      <FocusFallback className="grid gap-4">
        {(dataExport?.state ?? 'none') === 'none' && (
          <Row icon={<Icon icon={Download} />} title="Download my data">
            Polls, votes, points and images as one zip file
          </Row>
        )}
        {dataExport?.state === 'waiting' && (
          <Progress
            name="Getting it ready"
            label={`${dataExport.percent}%`}
            share={dataExport.percent / 100}
            note="Continues if you leave this page."
          />
        )}
        <div role="status" className="empty:absolute">
          {dataExport?.state === 'ready' && (
            <Row isDone icon={<Icon icon={CircleCheck} />} title={`Ready: ${bytesLabel(dataExport.bytes)}`}>
              The link works until {dateTimeLabel(dataExport.expiresAt)}
            </Row>
          )}
          {dataExport?.state === 'failed' && (
            <Row icon={<Icon icon={TriangleAlert} />} title="That did not work">
              The download could not be prepared
            </Row>
          )}
        </div>
        <OnlineButtons error={error} offline="You are offline. Connect to download your data.">
          {dataExport?.state === 'ready' && (
            <a className="btn min-h-12 btn-primary" href={downloadExport.path} download>
              <Icon icon={Download} /> Download
            </a>
          )}
          {dataExport?.state !== 'waiting' && (
            <SecondaryButton
              className="min-h-12"
              aria-disabled={isDisabled}
              onClick={() => isDisabled || void requestNew()}
            >
              {isRequesting ? 'One moment…' : REQUEST_LABELS[dataExport?.state ?? 'none']}
            </SecondaryButton>
          )}
        </OnlineButtons>
      </FocusFallback>
    </Panel>
  );
}

type RowProps = { icon: ReactNode; title: string; isDone?: boolean; children: ReactNode };

function Row({ icon, title, isDone = false, children }: RowProps) {
  return (
    <div className="flex items-center gap-3">
      <span
        className={`grid size-12 shrink-0 place-items-center rounded-control ${isDone ? 'bg-success text-success-content' : 'bg-base-300'}`}
      >
        {icon}
      </span>
      <p className="min-w-0 flex-1">
        <span className="block font-semibold text-body">{title}</span>
        <span className="block text-muted text-small">{children}</span>
      </p>
    </div>
  );
}
