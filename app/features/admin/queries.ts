import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import * as calls from '#shared/admin/contract.ts';
import type { AdminPolls, AdminUsers, AuditPage, Job, Overview } from '#shared/admin/schema.ts';

/** For what the server is given long for: deleting what is large, and beginning a job while others are at work. */
export const LONG_TIMEOUT_MS = 130_000;

/** Which page of a table; an empty search is none. */
export type ListQuery = { page: number; search: string };

/** Does it; a session or rights that have ended meanwhile are noticed by the rest of the app, too. */
export async function asAdmin<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
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

/** Resolves for an administrator; throws what the server answered to anybody else. */
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

/** The trail of what administrators did, newest first. */
export function fetchAudit({ page }: ListQuery, signal: AbortSignal): Promise<AuditPage> {
  return asAdmin(() => request(calls.listAudit, { query: { page }, signal }));
}

export function fetchJobs(signal: AbortSignal): Promise<Job[]> {
  return asAdmin(() => request(calls.listJobs, { signal }));
}
