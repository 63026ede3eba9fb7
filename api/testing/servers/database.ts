import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

let program: Promise<WebAssembly.Module> | null = null;

/**
 * Compiles PGlite's program, once a process, and keeps it. Each database runs it in a thread of its own, and as long as
 * it is kept V8 uses the same machine code in all of them.
 */
async function keepProgram(): Promise<void> {
  const path = fileURLToPath(new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  program ??= readFile(path).then((bytes) => WebAssembly.compile(bytes));
  await program;
}

async function copyFolder(templateFolder: string) {
  await keepProgram();
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-test-'));
  // A thousand small files: in one call it costs a fifth of what it does file by file.
  cpSync(templateFolder, folder, { recursive: true });
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
