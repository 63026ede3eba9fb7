import { type StartDeps, startJob } from '#api/admin/jobs/start-job.ts';
import { AppError } from '#api/errors.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { USER_ID_MAX } from '#shared/accounts/constants.ts';
import type { GeneratePollsInput } from '#shared/admin/schema.ts';

/** Has sample polls made, of the user who is named or else of the administrator. Throws `not_found`. */
export async function startGeneration(
  deps: StartDeps,
  { count, userId }: GeneratePollsInput,
  adminId: number,
): Promise<string> {
  const makerId = userId ?? adminId;
  const maker = makerId > USER_ID_MAX ? null : await findUser(deps.db, makerId);
  if (maker === null) throw new AppError('not_found', { message: 'User not found.' });
  const input: GeneratePollsInput = { count, userId: maker.id };
  return startJob(deps, { kind: 'generate-polls', adminId, input, total: count });
}
