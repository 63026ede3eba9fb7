import type { Deps } from '#api/deps.ts';
import { countPolls } from '#api/polls/queries.ts';
import { startJob } from './start-job.ts';

/** Has the images of all polls looked after. */
export async function startRepair(
  deps: Pick<Deps, 'db' | 'jobs' | 'jobFiles'>,
  adminId: number,
): Promise<string> {
  const { total } = await countPolls(deps.db);
  return startJob(deps, { kind: 'repair-images', adminId, input: {}, total });
}
