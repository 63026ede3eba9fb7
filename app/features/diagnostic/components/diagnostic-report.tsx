import { Copy } from 'lucide-react';
import {
  readOpStates,
  readServerVersion,
  readStorageFacts,
  readWorkerState,
} from '#app/features/diagnostic/queries.ts';
import { connectionState } from '#app/lib/engine/engine.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { copyText } from '#app/lib/sharing/share.ts';
import { showToast } from '#app/lib/toasts.ts';
import { useAsync } from '#app/lib/use-async.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { type Facts, reportSections, reportText } from './report.ts';

export function DiagnosticReport() {
  const sections = reportSections(useFacts());

  function copy() {
    const onCopied = () => showToast('success', 'Report copied', null, { topic: 'copy' });
    return copyText(reportText(sections, new Date()), onCopied);
  }

  return (
    <div className="grid gap-2.5">
      <p className="px-1 text-body text-muted">
        Details that help us find a problem. Nothing here identifies you.
      </p>
      {sections.map(({ title, lines }) => (
        <Panel key={title} title={title}>
          <dl className="grid gap-2">
            {Object.entries(lines).map(([name, value]) => (
              <div key={name} className="flex flex-wrap justify-between gap-x-4 text-body">
                <dt className="wrap-anywhere min-w-0 text-muted">{name}</dt>
                <dd className="min-w-0 select-all wrap-anywhere text-right">{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      ))}
      <PrimaryButton onClick={() => void copy()}>
        <Icon icon={Copy} /> Copy report
      </PrimaryButton>
    </div>
  );
}

function useFacts(): Facts {
  return {
    appVersion: __APP_VERSION__,
    script: mainScriptName(),
    serverVersion: useAsync(readServerVersion, undefined),
    connection: useObservable(connectionState),
    isOnline: useOnline(),
    worker: useAsync(readWorkerState, undefined),
    isControlled: 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null,
    storage: useAsync(readStorageFacts, undefined),
    queue: useUserQuery(readOpStates),
    browser: navigator.userAgent,
    screen: `${innerWidth} × ${innerHeight}`,
  };
}

/** The file name of the main script: its content hash distinguishes builds of the same version. */
function mainScriptName(): string {
  const source = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  return source.split('/').pop() ?? '';
}
