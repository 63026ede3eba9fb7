import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { toIsoDate } from './timestamps.ts';

const db = await createTestDatabase();
afterAll(() => db.close());

test.each([
  ['2026-01-31 12:00:00.123456+00', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.1239+00:00', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31 12:00:00.5+00', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31 12:00:00.5+05:30', '2026-01-31T06:30:00.500Z'],
  ['2026-01-31 23:30:00-03', '2026-02-01T02:30:00.000Z'],
])('converts %s to %s', (text, iso) => {
  expect(toIsoDate(text)).toBe(iso);
});

test('the database’s current time is converted correctly', async () => {
  const [row] = await db.sql<[{ now: string }]>`select now()`;
  const differenceMs = Math.abs(Date.parse(toIsoDate(row.now)) - Date.now());
  expect(differenceMs).toBeLessThan(60_000);
});
