import { readBulkForm } from '#api/admin/bulk/read-bulk-form.ts';
import { startBulkUpload } from '#api/admin/bulk/start-bulk-upload.ts';
import { startGeneration } from '#api/admin/bulk/start-generation.ts';
import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { PREFER_RESPOND_ASYNC } from '#shared/admin/constants.ts';
import * as calls from '#shared/admin/contract.ts';
import { imagesRepairedSchema, pollsCreatedSchema } from '#shared/admin/schema.ts';
import { buildPath } from '#shared/contract.ts';
import { awaitJob, type BegunJob } from './await-job.ts';
import { listJobs } from './list-jobs.ts';
import { readJob } from './read-job.ts';
import { startRepair } from './start-repair.ts';
import { stopJob } from './stop-job.ts';

/** The long work of administrators, for who is known to be one. */
export function jobRoutes(deps: Deps): CallRouter {
  /** By the time of the answer the work goes on by itself: a caller that hangs up changes nothing. */
  async function answer<Result>(c: AppContext, job: BegunJob<Result>) {
    if (!asksForAsync(c)) return awaitJob(deps, job, c.req.raw.signal);
    c.status(202);
    c.header('Location', buildPath(calls.readJob, { params: { id: job.id } }));
    c.header('Preference-Applied', PREFER_RESPOND_ASYNC);
    return { jobId: job.id };
  }

  return new CallRouter()
    .answer(calls.generatePolls, async ({ c, user, json }) => {
      const id = await startGeneration(deps, json, user.id);
      return answer(c, { id, kind: 'generate-polls', resultSchema: pollsCreatedSchema });
    })

    .answer(calls.uploadPolls, async ({ c, user }) => {
      const form = await readBulkForm(c.req.raw, deps.images.incomingFolder);
      let id: string;
      try {
        id = await startBulkUpload(deps, form, user.id);
      } finally {
        await form.cleanup();
      }
      return answer(c, { id, kind: 'bulk-upload', resultSchema: pollsCreatedSchema });
    })

    .answer(calls.repairImages, async ({ c, user }) => {
      const id = await startRepair(deps, user.id);
      return answer(c, { id, kind: 'repair-images', resultSchema: imagesRepairedSchema });
    })

    .answer(calls.listJobs, () => listJobs(deps))
    .answer(calls.readJob, ({ params }) => readJob(deps, params.id))
    .answer(calls.stopJob, ({ user, params }) => stopJob(deps, { id: params.id, adminId: user.id }));
}

/** RFC 7240: a list of preferences, each perhaps with parameters. */
function asksForAsync(c: AppContext): boolean {
  const preferences = (c.req.header('Prefer') ?? '').split(',');
  return preferences.some((each) => each.split(/[;=]/, 1)[0]?.trim().toLowerCase() === PREFER_RESPOND_ASYNC);
}
