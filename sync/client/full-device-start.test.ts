import { Dexie } from 'dexie';
import { beforeEach, expect, test } from 'vitest';
import { engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';

let device: ReturnType<typeof engineHarness>;
beforeEach(() => {
  device = engineHarness();
});

test('a start on a full device shows the last user', async () => {
  const firstEngine = device.newEngine();
  await firstEngine.start();
  expect(userSessionOf(firstEngine).user.id).toBe(device.serverUser.id);
  const throwQuotaError = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const rejectWrites = (db: Dexie) =>
    db.use({
      stack: 'dbcore',
      name: 'full',
      create: (core) => ({
        ...core,
        table: (name) => {
          const table = core.table(name);
          return {
            ...table,
            mutate: (request) =>
              request.type === 'delete' || request.type === 'deleteRange'
                ? table.mutate(request)
                : throwQuotaError(),
          };
        },
      }),
    });
  Dexie.addons.push(rejectWrites);
  try {
    const laterEngine = device.newEngine();
    await laterEngine.start();
    expect(userSessionOf(laterEngine).user.id).toBe(device.serverUser.id);
  } finally {
    Dexie.addons.splice(Dexie.addons.indexOf(rejectWrites), 1);
  }
});
