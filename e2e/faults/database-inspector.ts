import { openUserDb, type UserDb } from '#sync/client/db.ts';
import type { Tab } from './tab.ts';

/** The tests' own connections to the databases of a device, separate from those of its tabs. */
export class DatabaseInspector {
  readonly #device: string;
  readonly #dbs = new Map<number, UserDb>();

  constructor(device: string) {
    this.#device = device;
  }

  async withDb<Result>(
    userId: number,
    tabs: readonly (Tab | null)[],
    use: (db: UserDb) => Promise<Result>,
  ): Promise<Result> {
    let db = this.#dbs.get(userId);
    if (db === undefined || db.hasBeenClosed()) {
      // After an eviction the tab has to create the database again itself, so that it detects the eviction.
      for (const tab of tabs) await openDbOf(tab, userId);
      db = openUserDb(this.#device, userId);
    }
    this.#dbs.set(userId, db);
    return use(db);
  }

  close(): void {
    for (const db of this.#dbs.values()) db.close();
  }
}

async function openDbOf(tab: Tab | null, userId: number): Promise<void> {
  const session = tab?.engine.session.get();
  if (tab?.isDead !== false || tab.isFrozen || session?.status !== 'user' || session.user.id !== userId)
    return;
  // An eviction may interrupt this; the tab then opens a new database.
  await session.db.open().catch(() => {});
}
