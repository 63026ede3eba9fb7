import { countPolls } from '#api/polls/queries.ts';
import { type StartDeps, startJob } from './start-job.ts';

/** Has the images of all polls looked after. */
export async function startRepair(deps: StartDeps, adminId: number): Promise<string> {
  const { total } = await countPolls(deps.db);
  return startJob(deps, { kind: 'repair-images', adminId, input: {}, total });
}
