import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import type { User } from '#shared/accounts/schema.ts';
import * as calls from '#shared/admin/contract.ts';
import type { AdminPagination, AuditEntry, Job, Overview, ReportedPoll } from '#shared/admin/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';

export type ListQuery = { page: number; search: string };
export type Page<Item> = { items: readonly Item[]; pagination: AdminPagination };

/** Waits for `response`. If it fails because the session or the administrator's rights have ended, refreshes the user first. */
export async function refreshUserOnLostAccess<Result>(response: Promise<Result>): Promise<Result> {
  try {
    return await response;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'unauthenticated' || code === 'not_admin') {
      await loadEngine()
        .then((engine) => engine.refreshUser())
        .catch(() => undefined);
    }
    throw error;
  }
}

export const adminRequest: typeof request = (call, options) =>
  refreshUserOnLostAccess(request(call, options));

const toQuery = ({ page, search }: ListQuery) => ({ page, search: search === '' ? null : search });

/** Checks that the user is an administrator. Throws the server's error otherwise. */
export async function checkAccess(): Promise<void> {
  await adminRequest(calls.checkAdmin, {});
}

export async function fetchUsers(query: ListQuery, signal: AbortSignal): Promise<Page<User>> {
  const { users, pagination } = await adminRequest(calls.listUsers, { query: toQuery(query), signal });
  return { items: users, pagination };
}

export async function fetchPolls(query: ListQuery, signal: AbortSignal): Promise<Page<Poll>> {
  const { polls, pagination } = await adminRequest(calls.listPolls, { query: toQuery(query), signal });
  return { items: polls, pagination };
}

export async function fetchAudit({ page }: ListQuery, signal: AbortSignal): Promise<Page<AuditEntry>> {
  const { entries, pagination } = await adminRequest(calls.listAudit, { query: { page }, signal });
  return { items: entries, pagination };
}

export async function fetchReports(
  state: 'open' | 'done',
  { page }: ListQuery,
  signal: AbortSignal,
): Promise<Page<ReportedPoll>> {
  const { reports, pagination } = await adminRequest(calls.listReports, { query: { page, state }, signal });
  return { items: reports, pagination };
}

export function fetchOverview(signal: AbortSignal): Promise<Overview> {
  return adminRequest(calls.readOverview, { signal });
}

export function fetchJobs(signal: AbortSignal): Promise<Job[]> {
  return adminRequest(calls.listJobs, { signal });
}
