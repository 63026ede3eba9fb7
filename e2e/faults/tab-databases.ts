import { type DBCore, Dexie } from 'dexie';
import { forceCloseDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { Op } from '#sync/operations/registry.ts';
import { QuotaExceeded } from './device-room.ts';
import { type KillSwitch, step } from './kill-switch.ts';

/** What a tab's databases tell about it. */
export type DatabaseWatcher = {
  killer: KillSwitch;
  /** Operations that are under way right now. */
  databaseOps: number;
  /** The open databases of the tab. */
  databases: Dexie[];
  onCacheChange(): void;
  /** Ops that were added are stored for good. */
  onAdded(ops: readonly Op[]): void;
  /** Whether there is room for one more write. */
  takesWrite(): boolean;
};

const watchers = new Map<string, DatabaseWatcher>();
const TAB = /~\d+/;

let isAddonThere = false;

/**
 * From here on all databases are new. A name that begins with `<device>~<number>` is the database of the device as the
 * tab of that number sees it: tabs share what is stored, and each can be watched and killed by itself.
 */
export function freshDatabases(): void {
  const factory = new IDBFactory();
  const shared = (name: string) => name.replace(TAB, '');
  const indexedDB: globalThis.IDBFactory = {
    open: (name, version) => factory.open(shared(name), version),
    deleteDatabase: (name) => factory.deleteDatabase(shared(name)),
    databases: () => factory.databases(),
    cmp: (one, other) => factory.cmp(one, other),
  };
  Dexie.dependencies = { indexedDB, IDBKeyRange };
  watchers.clear();
  if (isAddonThere) return;
  isAddonThere = true;
  Dexie.addons.push(adopt);
}

/** Watches every database whose name begins with `prefix`. */
export function watchDatabases(prefix: string, watcher: DatabaseWatcher): void {
  watchers.set(prefix, watcher);
}

function adopt(db: Dexie): void {
  const end = db.name.search(/-(?:device|user-\d+)$/);
  const watcher = watchers.get(db.name.slice(0, end));
  if (watcher === undefined) return;
  watcher.databases.push(db);
  const open = db.open.bind(db);
  db.open = () => {
    watcher.databaseOps += 1;
    return open().finally(() => {
      watcher.databaseOps -= 1;
    });
  };
  db.use({ stack: 'dbcore', name: 'watcher', create: (core) => watched(core, watcher) });
}

/** Counts every operation as a step. An operation of a dead tab fails and takes its transaction along. */
function watched(core: DBCore, watcher: DatabaseWatcher): DBCore {
  const guard =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>, isRead = true) =>
    async (...args: Args): Promise<Result> => {
      step(watcher.killer, isRead);
      watcher.databaseOps += 1;
      try {
        return await run(...args);
      } finally {
        watcher.databaseOps -= 1;
      }
    };
  return {
    ...core,
    table(name) {
      const table = core.table(name);
      return {
        ...table,
        mutate: guard(async (request) => {
          if (name === 'polls' || name === 'user') watcher.onCacheChange();
          const isWrite = request.type === 'add' || request.type === 'put';
          if (isWrite && !watcher.takesWrite()) throw new QuotaExceeded('No room on this device');
          if (name === 'ops' && request.type === 'add') {
            const added: Op[] = [...request.values];
            onCommit(request.trans, () => watcher.onAdded(added));
          }
          return table.mutate(request);
        }, false),
        get: guard(table.get),
        getMany: guard(table.getMany),
        query: guard(table.query),
        openCursor: guard(table.openCursor),
        count: guard(table.count),
      };
    },
  };
}

/** Deletes the databases of a device, as a browser does that needs the room, under whoever has them open. */
export async function evictDatabases(device: string, open: readonly Dexie[]): Promise<void> {
  const { indexedDB } = Dexie.dependencies;
  for (const db of open) if (db.isOpen()) Reflect.apply(forceCloseDatabase, null, [db.backendDB()]);
  for (const { name = '' } of await indexedDB.databases()) {
    if (!name.startsWith(`${device}-`)) continue;
    await new Promise((resolve, reject) => {
      const deletion = indexedDB.deleteDatabase(name);
      deletion.onsuccess = resolve;
      deletion.onerror = reject;
    });
  }
}

/** Calls `done` when a transaction is stored for good. Dexie's transactions are the browser's own. */
function onCommit(transaction: object, done: () => void): void {
  if (!('addEventListener' in transaction) || typeof transaction.addEventListener !== 'function') {
    throw new Error('This is no transaction of a browser.');
  }
  transaction.addEventListener('complete', done);
}
