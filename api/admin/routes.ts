import { Hono } from 'hono';
import { jobRoutes } from '#api/admin/jobs/job-routes.ts';
import { activatePoll } from '#api/admin/polls/activate-poll.ts';
import { deactivatePoll } from '#api/admin/polls/deactivate-poll.ts';
import { deletePoll } from '#api/admin/polls/delete-poll.ts';
import { listPolls } from '#api/admin/polls/list-polls.ts';
import { deleteUser } from '#api/admin/users/delete-user.ts';
import { listUsers } from '#api/admin/users/list-users.ts';
import { suspendUser } from '#api/admin/users/suspend-user.ts';
import { unsuspendUser } from '#api/admin/users/unsuspend-user.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { createReadBuffer } from '#api/http/read-buffer.ts';
import { parseInput } from '#api/http/read-input.ts';
import { requireUser } from '#api/http/session/session.ts';
import { USER_ID_MAX } from '#shared/accounts/constants.ts';
import { adminListQuerySchema, adminPageQuerySchema } from '#shared/admin/schema.ts';
import { pollIdSchema } from '#shared/http.ts';
import { createFolderMeter } from './folder-meter.ts';
import { listAudit } from './list-audit.ts';
import { readOverview } from './read-overview.ts';

/** Counting everything takes long: administrators who look at the same time share the figures. */
const FIGURES_AGE_MAX_MS = 5_000;

/** What administrators can do. Nobody else gets here: see `requireAdmin` in the application. */
export function adminRoutes(deps: Deps): Hono<AppEnv> {
  const { db, images, limits } = deps;
  const figures = createReadBuffer(FIGURES_AGE_MAX_MS);
  const uploads = createFolderMeter(images.uploadsFolder);

  async function readList(c: AppContext) {
    const { search = '', ...page } = parseInput(adminListQuerySchema, c.req.query());
    if (search !== '') await limits.adminSearches.take(requireUser(c).id);
    return { search, ...page };
  }
  const userTarget = (c: AppContext) => ({ userId: readUserId(c), adminId: requireUser(c).id });

  return new Hono<AppEnv>()
    .get('/admin/check', (c) => c.json({ isAdmin: true }))
    .get('/admin/users', async (c) => c.json(await listUsers(db, await readList(c))))
    .delete('/admin/users/:id', async (c) => c.json(await deleteUser(deps, userTarget(c))))
    .post('/admin/users/:id/suspend', async (c) => c.json(await suspendUser(deps, userTarget(c))))
    .post('/admin/users/:id/unsuspend', async (c) => c.json(await unsuspendUser(deps, userTarget(c))))
    .get('/admin/polls', async (c) => c.json(await listPolls(db, requireUser(c), await readList(c))))
    .delete('/admin/polls/:id', async (c) => {
      const { id: adminId } = requireUser(c);
      return c.json(await deletePoll(deps, { pollId: readPollId(c), adminId }));
    })
    .post('/admin/polls/:id/deactivate', async (c) => {
      return c.json(await deactivatePoll(deps, requireUser(c), readPollId(c)));
    })
    .post('/admin/polls/:id/activate', async (c) => {
      return c.json(await activatePoll(deps, requireUser(c), readPollId(c)));
    })
    .get('/admin/overview', async (c) => {
      return c.json(await figures.read('overview', () => readOverview(db, uploads)));
    })
    .get('/admin/audit', async (c) => {
      return c.json(await listAudit(db, parseInput(adminPageQuerySchema, c.req.query())));
    })
    .route('/', jobRoutes(deps));
}

function readUserId(c: AppContext): number {
  const text = c.req.param('id') ?? '';
  const id = /^\d{1,10}$/.test(text) ? Number(text) : null;
  if (id === null || id > USER_ID_MAX) throw new AppError('not_found', { message: 'User not found.' });
  return id;
}

function readPollId(c: AppContext): string {
  const id = pollIdSchema.safeParse(c.req.param('id'));
  if (!id.success) throw new AppError('not_found', { message: 'Poll not found.' });
  return id.data.toLowerCase();
}
