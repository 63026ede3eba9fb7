import { expect, test } from 'vitest';
import type { Database } from '#api/db/client.ts';
import { createTestDatabase } from './database.ts';

/** Inserts a user; returns their id, and the share key that the migration has stored. */
async function insertUserAndReadKey({ sql }: Pick<Database, 'sql'>) {
  const [user] = await sql<[{ id: number }]>`
    insert into users (username, email, password_hash, referral_code) values ('ann', 'ann@example.org', '', 'ANN') returning id`;
  const [state] = await sql<[{ key: string }]>`select share_key as key from server_state`;
  return { ...user, ...state };
}

test.each([
  ['rows', "update server_state set share_key = '6f2f0d4c-7c57-4be4-a9d5-6ad1a40ad7a5'"],
  ['a column', 'alter table server_state rename share_key to shared_key'],
  ['a setting', "set search_path = 'pg_catalog'"],
])(
  'a test database has the initial state, even after %s of an earlier test database changed',
  async (_, change) => {
    const firstDatabase = await createTestDatabase();
    const initial = await insertUserAndReadKey(firstDatabase);
    await firstDatabase.sql.begin((tx) => tx.unsafe(change));
    await firstDatabase.close();
    const secondDatabase = await createTestDatabase();
    expect(await insertUserAndReadKey(secondDatabase)).toEqual(initial);
    await secondDatabase.close();
  },
);
