import { sql } from 'drizzle-orm';
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, expect, test, vi } from 'vitest';
import { createOrm } from './client.ts';

/** Does not connect: its statements have `rows` as their result. */
const client = postgres('postgres://me@127.0.0.1:1/nothing');
afterAll(() => client.end());
let rows: unknown[][] = [];
vi.spyOn(client, 'unsafe').mockImplementation((() => ({ values: async () => rows })) as never);

const makers = pgTable('makers', { id: integer().primaryKey(), name: text() });
const things = pgTable('things', {
  id: integer().primaryKey(),
  size: bigint({ mode: 'number' }).notNull(),
  name: text(),
});
const builders = [drizzle(client), createOrm(client, { retriesReads: true })] as const;
type Builder = (typeof builders)[number];

test.each([
  {
    name: 'columns, of which one needs a conversion and one is null',
    select: (orm: Builder) => orm.select().from(things),
    result: [[1, '9007199254740991', null]],
    expected: [{ id: 1, size: Number.MAX_SAFE_INTEGER, name: null }],
  },
  {
    name: 'SQL with and without a conversion',
    select: (orm: Builder) =>
      orm
        .select({ count: sql<number>`count(*)`.mapWith(Number), first: sql<string>`min(name)` })
        .from(things),
    result: [
      ['12', 'a'],
      [null, null],
    ],
    expected: [
      { count: 12, first: 'a' },
      { count: null, first: null },
    ],
  },
  {
    name: 'a nested object, and null for a row that was not joined',
    select: (orm: Builder) =>
      orm
        .select({ id: things.id, maker: { id: makers.id, name: makers.name } })
        .from(things)
        .leftJoin(makers, sql`true`),
    result: [
      [1, 2, 'm'],
      [3, null, null],
    ],
    expected: [
      { id: 1, maker: { id: 2, name: 'm' } },
      { id: 3, maker: null },
    ],
  },
  {
    name: 'the rows that a change returns',
    select: (orm: Builder) => orm.delete(things).returning({ size: things.size }),
    result: [['7']],
    expected: [{ size: 7 }],
  },
])('maps $name like Drizzle', async ({ select, result, expected }) => {
  rows = result;
  const [drizzleRows, ownRows] = await Promise.all(builders.map((orm) => select(orm)));
  expect(drizzleRows).toEqual(expected);
  expect(ownRows).toEqual(expected);
});
