import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import * as calls from '#shared/admin/contract.ts';
import type { AdminPolls, AdminUsers, AuditPage, Job, Overview } from '#shared/admin/schema.ts';

/** For requests that can take long: deleting large accounts and polls, and starting a job while others are running. */
export const LONG_TIMEOUT_MS = 130_000;

export type ListQuery = { page: number; search: string };

/** Refreshes the user when a request fails because the session or the administrator's rights have ended. */
export async function asAdmin<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'unauthenticated' || code === 'not_admin') {
      void loadEngine()
        .then((engine) => engine.refreshUser())
        .catch(() => undefined);
    }
    throw error;
  }
}

const toQuery = ({ page, search }: ListQuery) => ({ page, search: search === '' ? null : search });

/** Throws the server's error unless the user is an administrator. */
export async function checkAccess(): Promise<void> {
  await request(calls.checkAdmin, {});
}

export function fetchUsers(query: ListQuery, signal: AbortSignal): Promise<AdminUsers> {
  return asAdmin(() => request(calls.listUsers, { query: toQuery(query), signal }));
}

export function fetchPolls(query: ListQuery, signal: AbortSignal): Promise<AdminPolls> {
  return asAdmin(() => request(calls.listPolls, { query: toQuery(query), signal }));
}

export function fetchOverview(signal: AbortSignal): Promise<Overview> {
  return asAdmin(() => request(calls.readOverview, { signal }));
}

export function fetchAudit({ page }: ListQuery, signal: AbortSignal): Promise<AuditPage> {
  return asAdmin(() => request(calls.listAudit, { query: { page }, signal }));
}

export function fetchJobs(signal: AbortSignal): Promise<Job[]> {
  return asAdmin(() => request(calls.listJobs, { signal }));
}
