import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { checkMigrations, LAST_UNCHECKED } from './check-migrations.ts';

const REJECTED = [
  'ALTER TABLE "users" DROP COLUMN "x";',
  'DROP TABLE "polls";',
  'ALTER TABLE "users" RENAME COLUMN "x" TO "y";',
  'ALTER TABLE "users" RENAME TO "people";',
  'ALTER TABLE "users" ADD COLUMN "x" text NOT NULL;',
  'ALTER TABLE "users" ALTER COLUMN "x" SET NOT NULL;',
  'ALTER TABLE "users" ALTER COLUMN "x" DROP NOT NULL;',
  'ALTER TABLE "users" ALTER COLUMN "x" DROP DEFAULT;',
  'ALTER TABLE "users" ALTER COLUMN "x" SET DATA TYPE bigint;',
  'ALTER TABLE "users" ADD COLUMN "x" uuid DEFAULT gen_random_uuid() NOT NULL;',
  `ALTER TABLE "users" ADD CONSTRAINT "c" CHECK ("x" <> '');`,
  'ALTER TABLE "users" ADD CONSTRAINT "f" FOREIGN KEY ("x") REFERENCES "polls"("id");',
  'ALTER TABLE "users" ADD CONSTRAINT "u" UNIQUE ("x");',
  'CREATE INDEX CONCURRENTLY "i" ON "users" ("x");',
  'DROP FUNCTION letter_pairs(text);',
  'DROP INDEX "i";',
  '-- squawk-ignore ban-drop-column\nALTER TABLE "users" DROP COLUMN "x";',
  '-- squawk-ignore-file\nALTER TABLE "users" DROP COLUMN "x";',
  '-- squawk-ignore\nALTER TABLE "users" DROP COLUMN "x";',
  '/* squawk-ignore-file\nban-drop-column */ ALTER TABLE "users" DROP COLUMN "x";',
  `ALTER TYPE "state" RENAME VALUE 'a' TO 'b';`,
  '-- contract: 9.9.9 stopped using users.x\nALTER TABLE "users" DROP COLUMN "x";',
  'CREATE TABEL "x" ();',
];

const ACCEPTED = [
  `CREATE TABLE "x" ("id" bigint PRIMARY KEY, "a" text NOT NULL, CONSTRAINT "c" CHECK ("a" <> ''));--> statement-breakpoint
CREATE INDEX "xi" ON "x" ("a");`,
  `ALTER TABLE "users" ADD COLUMN "x" text DEFAULT 'a' NOT NULL;`,
  'ALTER TABLE "users" ADD COLUMN "x" text;',
  `ALTER TABLE "users" DROP CONSTRAINT "c";--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "c" CHECK ("x" <> '') NOT VALID;`,
  '-- contract: 1.2.0 stopped using users.x\nALTER TABLE "users" DROP COLUMN "x";',
  '-- squawk-ignore adding-field-with-default\nALTER TABLE "s" ADD COLUMN "x" uuid DEFAULT gen_random_uuid() NOT NULL;',
];

const CHANGELOG = '## Unreleased\n\n## 1.2.0 (2026-06-01)\n\n## 1.0.0 (2026-01-01)\n';
const BASELINE = 'DROP TABLE "polls";';
const WARNED = 'CREATE INDEX "i" ON "users" ("x");';

const MIGRATIONS = [...REJECTED, ...ACCEPTED, WARNED];
const fileName = (number: number) => `${String(number).padStart(4, '0')}_x.sql`;
const nameOf = (text: string) => fileName(LAST_UNCHECKED + 1 + MIGRATIONS.indexOf(text));
const problemsOf = (problems: readonly string[], text: string) =>
  problems.filter((problem) => problem.startsWith(nameOf(text)));

let result: Awaited<ReturnType<typeof checkMigrations>>;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-migrations-'));
  try {
    await writeFile(join(folder, fileName(LAST_UNCHECKED)), BASELINE);
    for (const text of MIGRATIONS) await writeFile(join(folder, nameOf(text)), text);
    result = await checkMigrations(folder, CHANGELOG);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(REJECTED)('rejects: %s', (text) => {
  expect(problemsOf(result.errors, text)).not.toEqual([]);
});

test.each(ACCEPTED)('accepts: %s', (text) => {
  expect([...problemsOf(result.errors, text), ...problemsOf(result.warnings, text)]).toEqual([]);
});

test('warns about an index on an existing table, and does not check the oldest migrations', () => {
  expect(problemsOf(result.errors, WARNED)).toEqual([]);
  expect(result.warnings).toHaveLength(1);
  expect(problemsOf(result.warnings, WARNED)).toEqual(result.warnings);
  expect(result.errors.join()).not.toContain(fileName(LAST_UNCHECKED));
});
