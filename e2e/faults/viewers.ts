import { openUserDb, type UserDb } from '#sync/client/db.ts';
import type { Tab } from './tab.ts';

/** The databases of a device as the tests look into them, beside those of its tabs. */
export class Viewers {
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
      // After an eviction a tab creates it once more, since it has to notice; it is not for the viewer to do so.
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
  // It may be removed while it opens; then the tab opens another one by itself.
  await session.db.open().catch(() => {});
}
