import { readBulkForm } from '#api/admin/bulk/read-bulk-form.ts';
import type { Deps } from '#api/deps.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { findNewestJobs, requireJob, toJob } from '#api/jobs/job-queue.ts';
import { PREFER_RESPOND_ASYNC } from '#shared/admin/constants.ts';
import * as calls from '#shared/admin/contract.ts';
import { imagesRepairedSchema, pollsCreatedSchema } from '#shared/admin/schema.ts';
import { buildPath } from '#shared/contract.ts';
import { awaitJob, type StartedJob } from './await-job.ts';
import { startBulkUpload, startGeneration, startRepair } from './start-job.ts';
import { stopJob } from './stop-job.ts';

/** The calls for administrators' jobs. `requireAdmin` (see `app.ts`) rejects all other callers. */
export function jobRoutes(deps: Deps): CallRouter {
  /**
   * Responds with the result of a job or, if the caller prefers `respond-async`, with its id at once. The job is stored already,
   * and continues if the caller disconnects.
   */
  async function respond<Result>(c: AppContext, job: StartedJob<Result>) {
    if (!prefersAsync(c)) return awaitJob(deps, job, c.req.raw.signal);
    c.status(202);
    c.header('Location', buildPath(calls.readJob, { params: { id: job.id } }));
    c.header('Preference-Applied', PREFER_RESPOND_ASYNC);
    return { jobId: job.id };
  }

  return new CallRouter()
    .answer(calls.generatePolls, async ({ c, user, json }) => {
      const id = await startGeneration(deps, user.id, json);
      return respond(c, { id, kind: 'generate-polls', resultSchema: pollsCreatedSchema });
    })

    .answer(calls.uploadPolls, async ({ c, user }) => {
      const form = await readBulkForm(c.req.raw, deps.images.incomingFolder);
      const id = await startBulkUpload(deps, user.id, form).finally(form.cleanup);
      return respond(c, { id, kind: 'bulk-upload', resultSchema: pollsCreatedSchema });
    })

    .answer(calls.repairImages, async ({ c, user }) => {
      const id = await startRepair(deps, user.id);
      return respond(c, { id, kind: 'repair-images', resultSchema: imagesRepairedSchema });
    })

    .answer(calls.listJobs, async () => (await findNewestJobs(deps.db)).map(toJob))
    .answer(calls.readJob, async ({ params }) => toJob(await requireJob(deps.db, params.id)))
    .answer(calls.stopJob, ({ user, params }) => stopJob(deps, params.id, user.id));
}

/** RFC 7240: `Prefer` is a list of preferences, each with optional parameters. */
function prefersAsync(c: AppContext): boolean {
  const preferences = (c.req.header('Prefer') ?? '').split(',');
  return preferences.some(
    (preference) => preference.split(/[;=]/, 1)[0]?.trim().toLowerCase() === PREFER_RESPOND_ASYNC,
  );
}
