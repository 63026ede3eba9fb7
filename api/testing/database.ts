import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type Database, openEmbedded, openPostgres } from '#api/db/client.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabase:
      | { kind: 'postgres'; adminUrl: string; template: string }
      | { kind: 'embedded'; templateFolder: string };
    /** Where the tests of a run keep the drawings of sample polls: encoding them takes seconds. */
    samplesDataDir: string;
  }
}

const TEST_CONNECTIONS = 6;

/** A migrated database of the project's kind that nobody else uses. Closing it removes it. */
export async function createTestDatabase(): Promise<Database & { url: string | null }> {
  const source = inject('testDatabase');
  return source.kind === 'postgres'
    ? copyOnServer(source.adminUrl, source.template)
    : copyFolder(source.templateFolder);
}

async function copyOnServer(adminUrl: string, template: string) {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const db = openPostgres(url.href, { connections: TEST_CONNECTIONS });
  return {
    ...db,
    url: url.href,
    close: async () => {
      await db.close();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

async function copyFolder(templateFolder: string) {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-test-'));
  await cp(templateFolder, folder, { recursive: true });
  const db = await openEmbedded(folder, (error) => {
    throw error;
  });
  return {
    ...db,
    url: null,
    close: async () => {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
