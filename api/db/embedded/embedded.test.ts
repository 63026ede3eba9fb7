import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Database, openEmbedded } from '#api/db/client.ts';

function open(folder: string): Promise<Database> {
  return openEmbedded(folder, (error) => {
    throw error;
  });
}

test('the database closes soon during a long statement, and keeps what was committed', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = inject('testDatabase');
  if (source.kind !== 'embedded') throw new Error('This file is for the embedded database only');
  await cp(source.templateFolder, folder, { recursive: true });
  const db = await open(folder);
  await db.sql`create table numbers as select n from generate_series(1, 1000) n`;
  const long = db.sql`select count(*) from numbers, numbers a, numbers b, numbers c`.then(
    () => 'ended',
    () => 'interrupted',
  );
  await sleep(500);
  const startMs = performance.now();
  await db.close();
  expect(performance.now() - startMs).toBeLessThan(9_000);
  expect(await long).toBe('interrupted');

  const reopened = await open(folder);
  expect(await reopened.sql`select count(*)::int from numbers`).toEqual([{ count: 1_000 }]);
  await reopened.close();
});
