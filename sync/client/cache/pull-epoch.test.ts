import { expect, test } from 'vitest';
import { EXPECTED_EPOCH_HEADER } from '#shared/http.ts';
import { json, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { pullMine } from './pull.ts';

const EPOCH = '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40';

test('a read sends the epoch of the server once the device knows it', async () => {
  const { db, userId } = await freshUserDb();
  const { transport, sent } = scriptedTransport(json(200, []));
  const context = { transport, db, userId, nowMs: () => 0, onResponse: () => {} };
  await pullMine(context);
  await db.user.update(userId, { epoch: EPOCH });
  await pullMine(context);
  expect(sent.map(({ headers }) => EXPECTED_EPOCH_HEADER in headers)).toEqual([false, true]);
  expect(sent[1]?.headers[EXPECTED_EPOCH_HEADER]).toBe(EPOCH);
});
