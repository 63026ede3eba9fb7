import { call } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import {
  type AdminPolls,
  type AdminUsers,
  type AuditPage,
  adminCheckSchema,
  adminPollsSchema,
  adminUsersSchema,
  auditPageSchema,
  type Job,
  jobListSchema,
  type Overview,
  overviewSchema,
} from '#shared/admin/schema.ts';
import { withQuery } from '#shared/http.ts';

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

export const callAsAdmin: typeof call = (options) => asAdmin(() => call(options));

function listPath(path: string, { page, search }: ListQuery): string {
  return withQuery(path, { page, search: search === '' ? null : search });
}

/** Resolves for an administrator; throws what the server answered to anybody else. */
export async function checkAccess(): Promise<void> {
  await call({ path: '/api/admin/check', shape: adminCheckSchema });
}

export function fetchUsers(query: ListQuery, signal: AbortSignal): Promise<AdminUsers> {
  return callAsAdmin({ path: listPath('/api/admin/users', query), shape: adminUsersSchema, signal });
}

export function fetchPolls(query: ListQuery, signal: AbortSignal): Promise<AdminPolls> {
  return callAsAdmin({ path: listPath('/api/admin/polls', query), shape: adminPollsSchema, signal });
}

export function fetchOverview(signal: AbortSignal): Promise<Overview> {
  return callAsAdmin({ path: '/api/admin/overview', shape: overviewSchema, signal });
}

/** The trail of what administrators did, newest first. */
export function fetchAudit(query: ListQuery, signal: AbortSignal): Promise<AuditPage> {
  return callAsAdmin({ path: listPath('/api/admin/audit', query), shape: auditPageSchema, signal });
}

export function fetchJobs(signal: AbortSignal): Promise<Job[]> {
  return callAsAdmin({ path: '/api/admin/jobs', shape: jobListSchema, signal });
}
