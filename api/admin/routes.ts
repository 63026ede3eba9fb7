import { jobRoutes } from '#api/admin/jobs/job-routes.ts';
import { deletePoll } from '#api/admin/polls/delete-poll.ts';
import { listPolls } from '#api/admin/polls/list-polls.ts';
import { setPollActive } from '#api/admin/polls/set-poll-active.ts';
import { decideReport } from '#api/admin/reports/decide-report.ts';
import { listReports } from '#api/admin/reports/list-reports.ts';
import { deleteUser } from '#api/admin/users/delete-user.ts';
import { listUsers } from '#api/admin/users/list-users.ts';
import { setUserSuspended } from '#api/admin/users/set-user-suspended.ts';
import type { Deps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { createReadCache } from '#api/http/read-cache.ts';
import * as calls from '#shared/admin/contract.ts';
import { listAudit } from './audit.ts';
import { readOverview } from './read-overview.ts';
import { createStorageMeter } from './storage-meter.ts';

/** Counting is slow, so administrators share the counts for a few seconds. */
const OVERVIEW_AGE_MAX_MS = 5_000;

/** The calls for administrators. `requireAdmin` (see `app.ts`) rejects all other callers. */
export function adminRoutes(deps: Deps) {
  const { db, images, limits } = deps;
  const overviewCache = createReadCache(OVERVIEW_AGE_MAX_MS);
  const storageMeter = createStorageMeter(images.storage);

  /** Counts the call if it searches. Returns the query, with an empty `search` if it has none. */
  async function limitSearch<Query extends { search?: string | undefined }>(query: Query, adminId: number) {
    const { search = '' } = query;
    if (search !== '') await limits.searches.take(adminId);
    return { ...query, search };
  }

  return new CallRouter()
    .answer(calls.checkAdmin, () => ({ isAdmin: true as const }))
    .answer(calls.listUsers, async ({ user, query }) => listUsers(db, await limitSearch(query, user.id)))
    .answer(calls.deleteUser, ({ user, params }) => deleteUser(deps, { userId: params.id, adminId: user.id }))
    .answer(calls.suspendUser, ({ user, params }) =>
      setUserSuspended(deps, { userId: params.id, adminId: user.id, isSuspended: true }),
    )
    .answer(calls.unsuspendUser, ({ user, params }) =>
      setUserSuspended(deps, { userId: params.id, adminId: user.id, isSuspended: false }),
    )
    .answer(calls.listPolls, async ({ user, query }) =>
      listPolls(deps, user, await limitSearch(query, user.id)),
    )
    .answer(calls.deletePoll, ({ user, params }) => deletePoll(deps, { pollId: params.id, adminId: user.id }))
    .answer(calls.deactivatePoll, ({ user, params }) =>
      setPollActive(deps, user, { pollId: params.id, isActive: false }),
    )
    .answer(calls.activatePoll, ({ user, params }) =>
      setPollActive(deps, user, { pollId: params.id, isActive: true }),
    )
    .answer(calls.listReports, ({ user, query }) => listReports(deps, user, query))
    .answer(calls.decideReport, ({ user, params, json }) =>
      decideReport(deps, { pollId: params.id, adminId: user.id }, json),
    )
    .answer(calls.readOverview, () => overviewCache.read('overview', () => readOverview(db, storageMeter)))
    .answer(calls.listAudit, ({ query }) => listAudit(db, query))
    .route('/', jobRoutes(deps));
}
