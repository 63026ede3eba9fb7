import { type DBCore, Dexie } from 'dexie';
import { forceCloseDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { Op } from '#sync/operations/registry.ts';
import { countStep, type KillSwitch } from './kill-switch.ts';
import { QuotaExceeded } from './storage-quota.ts';

/** Watches the databases of a tab, and controls them. */
export type DatabaseWatcher = {
  killSwitch: KillSwitch;
  /** The number of database operations in progress. */
  databaseOps: number;
  /** All databases that the tab has ever created, including those that are closed by now. */
  databases: Dexie[];
  onCacheChange(): void;
  /** Called when the transaction that added these ops has committed. */
  onAdded(ops: readonly Op[]): void;
  /** Counts a write; returns whether the quota allows it. */
  allowsWrite(): boolean;
};

const watchers = new Map<string, DatabaseWatcher>();
const TAB = /~\d+/;

let isAddonInstalled = false;

/**
 * Replaces IndexedDB by an empty one. A database name that begins with `<device>~<number>` opens the device's database
 * for the tab with this number: tabs share the data, but each can be watched and killed separately.
 */
export function resetDatabases(): void {
  const factory = new IDBFactory();
  const sharedName = (name: string) => name.replace(TAB, '');
  const indexedDB: globalThis.IDBFactory = {
    open: (name, version) => factory.open(sharedName(name), version),
    deleteDatabase: (name) => factory.deleteDatabase(sharedName(name)),
    databases: () => factory.databases(),
    cmp: (one, other) => factory.cmp(one, other),
  };
  Dexie.dependencies = { indexedDB, IDBKeyRange };
  watchers.clear();
  if (isAddonInstalled) return;
  isAddonInstalled = true;
  Dexie.addons.push(attachWatcher);
}

/** Watches every database whose name begins with `prefix`. */
export function watchDatabases(prefix: string, watcher: DatabaseWatcher): void {
  watchers.set(prefix, watcher);
}

function attachWatcher(db: Dexie): void {
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
  db.use({ stack: 'dbcore', name: 'watcher', create: (core) => watch(core, watcher) });
}

/** Counts each operation as a step. In a killed tab the operation fails, which aborts its transaction. */
function watch(core: DBCore, watcher: DatabaseWatcher): DBCore {
  const guard =
    <Args extends unknown[], Result>(kind: 'read' | 'write', run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      countStep(watcher.killSwitch, kind === 'read');
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
        mutate: guard('write', async (request) => {
          if (name === 'polls' || name === 'user') watcher.onCacheChange();
          const isWrite = request.type === 'add' || request.type === 'put';
          if (isWrite && !watcher.allowsWrite()) throw new QuotaExceeded('The quota is exceeded');
          if (name === 'ops' && request.type === 'add') {
            const added: Op[] = [...request.values];
            onCommit(request.trans, () => watcher.onAdded(added));
          }
          return table.mutate(request);
        }),
        get: guard('read', table.get),
        getMany: guard('read', table.getMany),
        query: guard('read', table.query),
        openCursor: guard('read', table.openCursor),
        count: guard('read', table.count),
      };
    },
  };
}

/** Deletes the databases of a device as a browser does that needs storage, even while tabs have them open. */
export async function evictDatabases(device: string, ofTabs: readonly Dexie[]): Promise<void> {
  const { indexedDB } = Dexie.dependencies;
  for (const db of ofTabs) {
    // The type of `forceCloseDatabase` expects the class instead of an instance.
    if (db.isOpen()) forceCloseDatabase(db.backendDB() as never);
  }
  for (const { name = '' } of await indexedDB.databases()) {
    if (!name.startsWith(`${device}-`)) continue;
    await new Promise((resolve, reject) => {
      const deletion = indexedDB.deleteDatabase(name);
      deletion.onsuccess = resolve;
      deletion.onerror = reject;
    });
  }
}

/** Calls `onComplete` when a transaction has committed. Transactions of `DBCore` are those of IndexedDB. */
function onCommit(transaction: object, onComplete: () => void): void {
  if (!('addEventListener' in transaction) || typeof transaction.addEventListener !== 'function') {
    throw new Error('This is not an IndexedDB transaction.');
  }
  transaction.addEventListener('complete', onComplete);
}
