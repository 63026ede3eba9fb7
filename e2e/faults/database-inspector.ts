import { openUserDb, type UserDb } from '#sync/client/db.ts';
import type { Tab } from './tab.ts';

/** The tests' own connections to the databases of a device, separate from those of its tabs. */
export class DatabaseInspector {
  readonly #databasePrefix: string;
  readonly #dbs = new Map<number, UserDb>();

  constructor(databasePrefix: string) {
    this.#databasePrefix = databasePrefix;
  }

  /** Runs `use` with a user's database. `tabs` are those of the device. */
  async withDb<Result>(
    userId: number,
    tabs: readonly (Tab | null)[],
    use: (db: UserDb) => Promise<Result>,
  ): Promise<Result> {
    let db = this.#dbs.get(userId);
    if (db === undefined || db.hasBeenClosed()) {
      // A tab detects an eviction only if it creates the missing database itself, so the tabs open it first.
      for (const tab of tabs) if (tab !== null) await openDbOf(tab, userId);
      db = openUserDb(this.#databasePrefix, userId);
      this.#dbs.set(userId, db);
    }
    return use(db);
  }

  close(): void {
    for (const db of this.#dbs.values()) db.close();
  }
}

async function openDbOf(tab: Tab, userId: number): Promise<void> {
  const session = tab.engine.session.get();
  if (tab.isDead || tab.isFrozen || session.status !== 'user' || session.user.id !== userId) return;
  // Another eviction may interrupt this; the tab then opens a new database later.
  await session.db.open().catch(() => {});
}
