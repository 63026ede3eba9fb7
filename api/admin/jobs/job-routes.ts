import { Hono } from 'hono';
import { readBulkForm } from '#api/admin/bulk/read-bulk-form.ts';
import { startBulkUpload } from '#api/admin/bulk/start-bulk-upload.ts';
import { startGeneration } from '#api/admin/bulk/start-generation.ts';
import type { Deps } from '#api/deps.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { readJson } from '#api/http/read-input.ts';
import { requireUser } from '#api/http/session/session.ts';
import { RESPOND_ASYNC } from '#shared/admin/constants.ts';
import { generatePollsInputSchema, type JobKind } from '#shared/admin/schema.ts';
import { pollIdSchema } from '#shared/http.ts';
import { awaitJob } from './await-job.ts';
import { listJobs } from './list-jobs.ts';
import { jobNotFound, readJob } from './read-job.ts';
import { startRepair } from './start-repair.ts';
import { stopJob } from './stop-job.ts';

/** The long work of administrators, for who is known to be one. */
export function jobRoutes(deps: Deps): Hono<AppEnv> {
  /** By the time of the answer the work goes on by itself: a caller that hangs up changes nothing. */
  async function answer(c: AppContext, job: { id: string; kind: JobKind }, status: 200 | 201) {
    if (!asksForAsync(c)) return c.json(await awaitJob(deps, job, c.req.raw.signal), status);
    c.header('Location', `/api/admin/jobs/${job.id}`);
    c.header('Preference-Applied', RESPOND_ASYNC);
    return c.json({ jobId: job.id }, 202);
  }

  return new Hono<AppEnv>()
    .post('/admin/generate-polls', async (c) => {
      const { id: adminId } = requireUser(c);
      const input = await readJson(c, generatePollsInputSchema);
      const id = await startGeneration(deps, input, adminId);
      return answer(c, { id, kind: 'generate-polls' }, 201);
    })

    .post('/admin/bulk-upload', async (c) => {
      const { id: adminId } = requireUser(c);
      const form = await readBulkForm(c.req.raw, deps.images.incomingFolder);
      let id: string;
      try {
        id = await startBulkUpload(deps, form, adminId);
      } finally {
        await form.cleanup();
      }
      return answer(c, { id, kind: 'bulk-upload' }, 201);
    })

    .post('/admin/repair-images', async (c) => {
      const { id: adminId } = requireUser(c);
      const id = await startRepair(deps, adminId);
      return answer(c, { id, kind: 'repair-images' }, 200);
    })

    .get('/admin/jobs', async (c) => c.json(await listJobs(deps)))
    .get('/admin/jobs/:id', async (c) => c.json(await readJob(deps, readJobId(c))))
    .delete('/admin/jobs/:id', async (c) => {
      const { id: adminId } = requireUser(c);
      return c.json(await stopJob(deps, { id: readJobId(c), adminId }));
    });
}

/** RFC 7240: a list of preferences, each perhaps with parameters. */
function asksForAsync(c: AppContext): boolean {
  const preferences = (c.req.header('Prefer') ?? '').split(',');
  return preferences.some((each) => each.split(/[;=]/, 1)[0]?.trim().toLowerCase() === RESPOND_ASYNC);
}

function readJobId(c: AppContext): string {
  const id = pollIdSchema.safeParse(c.req.param('id'));
  if (!id.success) throw jobNotFound();
  return id.data.toLowerCase();
}
