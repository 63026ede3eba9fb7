import { useEffect, useState } from 'react';
import { readDataExport, requestDataExport } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import type { DataExport } from '#shared/accounts/schema.ts';

const REFRESH_INTERVAL_MS = 2_000;

/** The user's export file, refreshed while the server writes it. `dataExport` is undefined until it is first read. */
export function useDataExport(userId: number, isReachable: boolean) {
  const [dataExport, setDataExport] = useState<DataExport>();
  const [error, setError] = useState<string | null>(null);
  const [isRequesting, setRequesting] = useState(false);
  const isWaiting = dataExport?.state === 'waiting';
  const isUnknown = dataExport === undefined;

  useEffect(() => {
    if (!isReachable || !(isWaiting || isUnknown)) return;
    let isCurrent = true;
    const refresh = () =>
      readDataExport(userId).then(
        (latest) => isCurrent && setDataExport(latest),
        // The interval tries again.
        () => {},
      );
    if (isUnknown) void refresh();
    const timer = setInterval(refresh, REFRESH_INTERVAL_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [userId, isReachable, isWaiting, isUnknown]);

  async function requestNew() {
    setError(null);
    setRequesting(true);
    try {
      setDataExport(await requestDataExport(userId));
    } catch (failure) {
      setError(errorMessage(failure));
      // Reads the export again: if the response was lost, a new one has replaced it.
      setDataExport(undefined);
    } finally {
      setRequesting(false);
    }
  }

  return { dataExport, error, isRequesting, requestNew };
}
