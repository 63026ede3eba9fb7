import { cpSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { connectEmbedded, type Database } from '#api/db/client.ts';
import { type Embedded, startEmbedded } from '#api/db/embedded.ts';
import { emptyDatabase, type Initial, readInitial } from './empty-database.ts';

type Running = { folder: string; embedded: Embedded; initial: Initial };

/** Empty databases that nobody uses. Starting one takes ten times as long as emptying one. */
const idle: Running[] = [];

/** An embedded database as in the template, for one borrower at a time. Closing it gives it back. */
export async function lendEmbedded(templateFolder: string): Promise<Database> {
  const running = idle.pop() ?? (await startCopy(templateFolder));
  const db = await connect(running.embedded);
  return {
    ...db,
    close: async () => {
      await db.close();
      // With a client of its own: the other one relies on prepared statements, which go.
      const cleaner = await connect(running.embedded);
      const isEmpty = await emptyDatabase(cleaner.sql, running.initial).catch(() => false);
      await cleaner.close();
      if (isEmpty) idle.push(running);
      else await remove(running);
    },
  };
}

async function startCopy(templateFolder: string): Promise<Running> {
  await keepProgram();
  // Beside the template, and removed with it at the latest: the process does not end them.
  const folder = await mkdtemp(`${templateFolder}-`);
  // A thousand small files: in one call it costs a fifth of what it does file by file.
  cpSync(templateFolder, folder, { recursive: true });
  const embedded = await startEmbedded(folder, (error) => {
    throw error;
  });
  const db = await connect(embedded);
  const initial = await readInitial(db.sql);
  await db.close();
  return { folder, embedded, initial };
}

/** It refuses a second connection until it has noticed the end of the first one. */
async function connect({ socketPath }: Embedded): Promise<Database> {
  for (;;) {
    const db = connectEmbedded(socketPath);
    try {
      await db.sql`select 1`;
      return db;
    } catch {
      await db.close();
    }
  }
}

async function remove({ folder, embedded }: Running): Promise<void> {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

let program: Promise<WebAssembly.Module> | null = null;

/**
 * Compiles PGlite's program, once a process, and keeps it. Each database runs it in a thread of its own, and as long as
 * it is kept V8 uses the same machine code in all of them.
 */
export async function keepProgram(): Promise<void> {
  const path = fileURLToPath(new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  program ??= readFile(path).then((bytes) => WebAssembly.compile(bytes));
  await program;
}
