import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { startDatabaseProxy } from './database-proxy.ts';

const database = await createTestDatabase();
afterAll(() => database.close());

test('after_commit breaks the connection after the commit, even if another statement was sent just before', async () => {
  const proxy = await startDatabaseProxy(database.url ?? '', () => 'after_commit');
  const throughProxy = openPostgres(proxy.url, { connections: 1 });
  // From now on the driver sends a statement without waiting for the response to the previous one.
  await throughProxy.sql`select`;
  // The comment makes the proxy consider the change a vote.
  const results = await Promise.allSettled([
    throughProxy.sql`select pg_sleep(0.1)`,
    throughProxy.sql`
      update server_state set expiry_noted_until = '2000-01-01' where pg_sleep(0.1) is not null /* insert into votes */`,
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const rows = await database.sql`select from server_state where expiry_noted_until = '2000-01-01'`;
  expect(rows).toHaveLength(1);
  await throughProxy.close();
  proxy.abandon();
});
