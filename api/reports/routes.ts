import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/reports/contract.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { listBlocks } from './queries.ts';
import { reportPoll, takeBackReport } from './report-poll.ts';

export function reportRoutes(deps: AppDeps): CallRouter {
  return new CallRouter()
    .answer(calls.reportPoll, async ({ user, key, params, json }) => {
      await reportPoll(deps, { user, key, pollId: params.id, ...json });
      return { reported: true };
    })
    .answer(calls.takeBackReport, async ({ user, key, params }) => {
      await takeBackReport(deps, { user, key, pollId: params.id });
      return { reported: false };
    })
    .answer(calls.blockUser, async ({ c, user, key, params }) => {
      await blockUser(deps, { user, key, username: params.username });
      return c.body(null);
    })
    .answer(calls.unblockUser, async ({ c, user, key, params }) => {
      await unblockUser(deps, { user, key, username: params.username });
      return c.body(null);
    })
    .answer(calls.listBlocks, async ({ user }) => ({ blocks: await listBlocks(deps.db, user.id) }));
}
