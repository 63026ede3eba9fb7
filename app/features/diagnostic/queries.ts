import { useLiveQuery } from 'dexie-react-hooks';
import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readHealth } from '#shared/service/contract.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { OpState } from '#sync/protocol/op.ts';

export type StorageFacts = { usedBytes: number | null; quotaBytes: number | null; isPersisted: boolean };

async function readWorkerState(): Promise<string> {
  if (!('serviceWorker' in navigator)) return 'not supported';
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) return 'not registered';
  if (registration.waiting !== null) return 'new version waiting';
  return registration.active === null ? 'installing' : 'active';
}

async function readStorageFacts(): Promise<StorageFacts> {
  const estimate = await navigator.storage?.estimate?.();
  return {
    usedBytes: estimate?.usage ?? null,
    quotaBytes: estimate?.quota ?? null,
    isPersisted: (await navigator.storage?.persisted?.()) ?? false,
  };
}

async function readServerVersion(): Promise<string> {
  return (await request(readHealth, {})).version;
}

/** Reads a value once: null until then, 'unknown' when that failed. */
function useAsyncValue<Value>(read: () => Promise<Value>): Value | null | 'unknown' {
  const [value, setValue] = useState<Value | null | 'unknown'>(null);
  useEffect(() => {
    read().then(
      (result) => setValue(result),
      () => setValue('unknown'),
    );
  }, [read]);
  return value;
}

export function useServerVersion(): string | null {
  return useAsyncValue(readServerVersion);
}

export function useWorkerState(): string | null {
  return useAsyncValue(readWorkerState);
}

export function useStorageFacts(): StorageFacts | null | 'unknown' {
  return useAsyncValue(readStorageFacts);
}

/** The state of each queued change; undefined until they are read. */
export function useOpStates(): OpState[] | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => {
    if (db === null) return [];
    const { needsYou, waiting } = await readOutbox(db);
    return [...needsYou, ...waiting].map(({ state }) => state);
  }, [db]);
}
