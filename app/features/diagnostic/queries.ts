import { request } from '#app/lib/api/api-client.ts';
import { readHealth } from '#shared/service/contract.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { OpState } from '#sync/protocol/op.ts';

export type StorageFacts = { usedBytes: number | null; quotaBytes: number | null; isPersisted: boolean };

/** The state of the service worker, as text for the report. */
export async function readWorkerState(): Promise<string> {
  if (!('serviceWorker' in navigator)) return 'not supported';
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) return 'not registered';
  if (registration.waiting !== null) return 'new version waiting';
  return registration.active === null ? 'installing' : 'active';
}

/** The browser's estimate of this site's storage; null where the browser gives none. */
export async function readStorageFacts(): Promise<StorageFacts> {
  const estimate = await navigator.storage?.estimate?.();
  return {
    usedBytes: estimate?.usage ?? null,
    quotaBytes: estimate?.quota ?? null,
    isPersisted: (await navigator.storage?.persisted?.()) ?? false,
  };
}

export async function readServerVersion(): Promise<string> {
  return (await request(readHealth, {})).version;
}

/** The state of each op in the outbox. */
export async function readOpStates(db: UserDb): Promise<OpState[]> {
  const { needsDecision, waiting } = await readOutbox(db);
  return [...needsDecision, ...waiting].map(({ state }) => state);
}
