import { useLiveQuery } from 'dexie-react-hooks';
import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readHealth } from '#shared/service/contract.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { OpState } from '#sync/protocol/op.ts';

export type StorageFacts = { usedBytes: number | null; quotaBytes: number | null; isPersisted: boolean };

async function askWorker(): Promise<string> {
  if (!('serviceWorker' in navigator)) return 'not supported';
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) return 'not registered';
  if (registration.waiting !== null) return 'a new version waits';
  return registration.active === null ? 'installing' : 'active';
}

async function askStorage(): Promise<StorageFacts> {
  const estimate = await navigator.storage?.estimate?.();
  return {
    usedBytes: estimate?.usage ?? null,
    quotaBytes: estimate?.quota ?? null,
    isPersisted: (await navigator.storage?.persisted?.()) ?? false,
  };
}

async function askVersion(): Promise<string> {
  return (await request(readHealth, {})).version;
}

/** What was found out when the page was opened: null until then, 'unknown' when nobody could tell. */
function useAnswer<Fact>(ask: () => Promise<Fact>): Fact | null | 'unknown' {
  const [fact, setFact] = useState<Fact | null | 'unknown'>(null);
  useEffect(() => {
    ask().then(
      (answer) => setFact(answer),
      () => setFact('unknown'),
    );
  }, [ask]);
  return fact;
}

/** The server's version. */
export function useServerVersion(): string | null {
  return useAnswer(askVersion);
}

/** How far the service worker has come. */
export function useWorkerState(): string | null {
  return useAnswer(askWorker);
}

/** What this app takes of the device's storage. */
export function useStorageFacts(): StorageFacts | null | 'unknown' {
  return useAnswer(askStorage);
}

/** The state of each change on this device; undefined until they have been read. */
export function useQueue(): OpState[] | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => {
    if (db === null) return [];
    const { needsYou, waiting } = await readOutbox(db);
    return [...needsYou, ...waiting].map(({ state }) => state);
  }, [db]);
}
