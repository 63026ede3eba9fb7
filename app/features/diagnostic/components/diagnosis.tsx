import { Copy } from 'lucide-react';
import {
  useQueue,
  useServerVersion,
  useStorageFacts,
  useWorkerState,
} from '#app/features/diagnostic/queries.ts';
import { connectionState } from '#app/lib/engine/engine.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { sayCopyFailed, showToast } from '#app/lib/toasts.ts';
import { Key } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { type Facts, reportText, sectionsOf } from './report.ts';

/** How the app is doing on this device, to read and to copy. */
export function Diagnosis() {
  const sections = sectionsOf(useFacts());

  async function copy() {
    try {
      await navigator.clipboard.writeText(reportText(sections, new Date()));
      showToast('good', 'Report copied', null, 'copy');
    } catch {
      sayCopyFailed();
    }
  }

  return (
    <div className="grid gap-2.5">
      <p className="px-1 text-body text-muted">
        What helps to find a problem. Nothing here tells who you are.
      </p>
      {sections.map(({ title, lines }) => (
        <Panel key={title} title={title}>
          <dl className="grid gap-2">
            {lines.map(({ name, value }) => (
              <div key={name} className="flex flex-wrap justify-between gap-x-4 text-body">
                <dt className="wrap-anywhere min-w-0 text-muted">{name}</dt>
                <dd className="min-w-0 select-all wrap-anywhere text-right">{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      ))}
      <Key onClick={() => void copy()}>
        <Icon of={Copy} /> Copy report
      </Key>
    </div>
  );
}

function useFacts(): Facts {
  return {
    appVersion: __APP_VERSION__,
    script: ownScript(),
    serverVersion: useServerVersion(),
    connection: useObservable(connectionState),
    isOnline: useOnline(),
    worker: useWorkerState(),
    isControlled: 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null,
    storage: useStorageFacts(),
    queue: useQueue(),
    browser: navigator.userAgent,
    screen: `${innerWidth} × ${innerHeight}`,
  };
}

/** Its name has a hash of what is in it: two builds of one version can be told apart. */
function ownScript(): string {
  const source = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  return source.split('/').pop() ?? '';
}
