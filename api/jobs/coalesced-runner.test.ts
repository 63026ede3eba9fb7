import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { toAppError } from '#api/http/error-mapping.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { jobWhen } from '#api/testing/jobs.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { findJob, insertJob } from './job-queue.ts';
import { createJobRunner } from './job-runner.ts';

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);

test('other work does not wait behind a repair', async () => {
  const repairId = randomUUID();
  const end = { state: 'done', message: 'Done.', result: {} } as const;
  await insertJob(db, { id: repairId, kind: 'repair-images', adminId: admin.user.id, input: {}, total: 1 });
  const work = randomUUID();
  await insertJob(db, { id: work, kind: 'generate-polls', adminId: admin.user.id, input: {}, total: 0 });
  const runner = createJobRunner({
    db,
    log: deps.log,
    run: async (task) => {
      if (task.kind === 'repair-images') await jobWhen(admin, work, ({ state }) => state === 'done');
      await task.advance(async () => ({ done: 0, end }));
    },
    onEnd: async () => {},
    toAppError,
  });
  await runner.runDue();
  expect(await findJob(db, work)).toMatchObject({ state: 'done' });
  expect(await findJob(db, repairId)).toMatchObject({ state: 'done' });
});
