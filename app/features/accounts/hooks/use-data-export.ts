import { useEffect, useState } from 'react';
import { readDataExport, requestDataExport } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import type { DataExport } from '#shared/accounts/schema.ts';

const LOOK_INTERVAL_MS = 2_000;

/** The file that the user has asked for; `undefined` until the server has answered. */
export function useDataExport(userId: number, isReachable: boolean) {
  const [dataExport, setDataExport] = useState<DataExport>();
  const [error, setError] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isWaiting = dataExport?.state === 'waiting';
  const isUnknown = dataExport === undefined;

  useEffect(() => {
    if (!isReachable || !(isWaiting || isUnknown)) return;
    let isCurrent = true;
    const look = () =>
      readDataExport(userId).then(
        (read) => isCurrent && setDataExport(read),
        // Asked again while it is waited for.
        () => {},
      );
    if (isUnknown) void look();
    const timer = setInterval(look, LOOK_INTERVAL_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [userId, isReachable, isWaiting, isUnknown]);

  async function ask() {
    setError(null);
    setAsking(true);
    try {
      setDataExport(await requestDataExport(userId));
    } catch (failure) {
      setError(errorMessage(failure));
    } finally {
      setAsking(false);
    }
  }

  return { dataExport, error, isAsking, ask };
}
