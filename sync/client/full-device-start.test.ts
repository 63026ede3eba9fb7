import { Dexie } from 'dexie';
import { beforeEach, expect, test } from 'vitest';
import { engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';

let device: ReturnType<typeof engineHarness>;
beforeEach(() => {
  device = engineHarness();
});

test('a start on a full device shows the last user, with live updates', async () => {
  const first = device.newEngine();
  await first.start();
  expect(userSessionOf(first).user.id).toBe(device.user.id);
  const refuse = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const fill = (db: Dexie) =>
    db.use({
      stack: 'dbcore',
      name: 'full',
      create: (core) => ({
        ...core,
        table: (name) => {
          const table = core.table(name);
          if (name !== 'account') return table;
          return {
            ...table,
            mutate: (request) =>
              request.type === 'delete' || request.type === 'deleteRange' ? table.mutate(request) : refuse(),
          };
        },
      }),
    });
  Dexie.addons.push(fill);
  try {
    const later = device.newEngine();
    await later.start();
    expect(userSessionOf(later).user.id).toBe(device.user.id);
  } finally {
    Dexie.addons.splice(Dexie.addons.indexOf(fill), 1);
  }
});
