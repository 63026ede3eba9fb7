import { cpSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectEmbedded, type Database } from '#api/db/client.ts';
import { type Embedded, startEmbedded } from '#api/db/embedded/embedded.ts';
import { emptyDatabase, type InitialState, readInitial } from './empty-database.ts';

type Running = { folder: string; embedded: Embedded; initial: InitialState };

/** Emptied databases, to be reused: starting a new one takes ten times as long as emptying one. */
const idle: Running[] = [];

/** Takes an embedded database in the state of the template from a pool. Closing it returns it to the pool. */
export async function borrowEmbedded(templateFolder: string): Promise<Database> {
  const running = idle.pop() ?? (await startCopy(templateFolder));
  const db = await connect(running.embedded);
  return {
    ...db,
    close: async () => {
      await db.close();
      // With a new client: the old one relies on prepared statements, which are discarded.
      const cleaner = await connect(running.embedded);
      const isEmpty = await emptyDatabase(cleaner.sql, running.initial).catch(() => false);
      await cleaner.close();
      if (isEmpty) idle.push(running);
      else await remove(running);
    },
  };
}

async function startCopy(templateFolder: string): Promise<Running> {
  await compilePGlite();
  // Beside the template, with which it is removed: databases in the pool are not stopped before the process exits.
  const folder = await mkdtemp(join(dirname(templateFolder), 'copy-'));
  // One call for a thousand small files takes a fifth of the time of one call for each.
  cpSync(templateFolder, folder, { recursive: true });
  const embedded = await startEmbedded(folder, (error) => {
    throw error;
  });
  const db = await connect(embedded);
  const initial = await readInitial(db.sql);
  await db.close();
  return { folder, embedded, initial };
}

/** Connects, with retries: the database refuses a second connection until it has noticed the end of the first one. */
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

let pgliteModule: Promise<WebAssembly.Module> | null = null;

/**
 * Compiles PGlite's WebAssembly module once per process and keeps a reference to it. Each database runs the module in its own
 * thread, and as long as the module is referenced, V8 uses the same machine code in all of them.
 */
export async function compilePGlite(): Promise<void> {
  const path = fileURLToPath(new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  pgliteModule ??= readFile(path).then((bytes) => WebAssembly.compile(bytes));
  await pgliteModule;
}
