import { type LucideIcon, WifiOff } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { codeOf } from '#app/lib/api/api-error.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { isChunkLoadError } from '#app/lib/faults/chunk-load-error.ts';
import { FormError } from '#app/ui/forms/field.tsx';
import { Icon } from './icon.tsx';

export function OfflineNotice({ className = '', children }: { className?: string; children: ReactNode }) {
  const isReachable = useReachable();
  return (
    // Rendered even if empty, so that a change is announced; `absolute` keeps an empty grid item from adding a gap.
    <div role="status" className={`empty:absolute ${className}`}>
      {!isReachable && <Note icon={WifiOff}>{children}</Note>}
    </div>
  );
}

type OnlineButtonsProps = {
  offline: ReactNode;
  /** Why the last request failed. Not shown offline: the note says enough. */
  error?: string | null;
  children: ReactNode;
};

/** Buttons that need the server; offline, a note is shown in their place. */
export function OnlineButtons({ offline, error = null, children }: OnlineButtonsProps) {
  const isReachable = useReachable();
  return (
    <>
      {isReachable && error !== null && <FormError>{error}</FormError>}
      <OfflineNotice>{offline}</OfflineNotice>
      {isReachable && children}
    </>
  );
}

export function Note({ icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 rounded-control bg-base-300 px-3.5 py-3 text-base-content text-body">
      <Icon icon={icon} size={16} />
      {children}
    </p>
  );
}

/** The delay before a retry, since the first requests after a reconnect may still fail. */
const RETRY_DELAY_MS = 1_500;
const RETRIES_MAX = 2;

type Props = {
  /**
   * Called again after a failure: up to twice if the server was unreachable, by `retry`, and when the server becomes reachable
   * again. Must be the same function on every render.
   */
  load(): Promise<ComponentType>;
  loading: ReactNode;
  offline: ReactNode;
  renderError(error: unknown, retry: () => void): ReactNode;
};

/** A component that needs the server and is not stored on the device: it loads as soon as the server is reachable. */
export function OnlineComponent(props: Props) {
  const isReachable = useReachable();
  const [Component, setComponent] = useState<ComponentType | null>(null);
  if (Component !== null) return <Component />;
  if (!isReachable) return props.offline;
  return <Loader {...props} onLoad={(Loaded) => setComponent(() => Loaded)} />;
}

type LoaderProps = Omit<Props, 'offline'> & { onLoad(Component: ComponentType): void };

/** Mounted again whenever the server becomes reachable again. */
function Loader({ load, loading, renderError, onLoad }: LoaderProps) {
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  const retries = useRef(0);
  const onLoaded = useEffectEvent(onLoad);

  useEffect(() => {
    if (failure !== null) {
      // A retry does not help if the server has rejected the call or a chunk failed to load.
      if (codeOf(failure.error) !== 'unreachable' || retries.current === RETRIES_MAX) return;
      const timer = setTimeout(() => {
        retries.current += 1;
        setFailure(null);
      }, RETRY_DELAY_MS);
      return () => clearTimeout(timer);
    }
    let isUnmounted = false;
    load().then(
      (Component) => !isUnmounted && onLoaded(Component),
      (error: unknown) => !isUnmounted && setFailure({ error }),
    );
    return () => {
      isUnmounted = true;
    };
  }, [load, failure]);

  if (failure === null) return loading;
  const needsReload = isChunkLoadError(failure.error);
  return renderError(failure.error, () => (needsReload ? location.reload() : setFailure(null)));
}
