import type { Page } from '@playwright/test';

/** Writes votes into a user's outbox, in the form in which the first release stored them: every later release can send them. */
export async function addVotesToOutbox(
  page: Page,
  userId: number,
  pollIds: readonly string[],
): Promise<void> {
  await page.evaluate(
    async ([id, polls]) => {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(`this-or-that-user-${id}`);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      const transaction = db.transaction('ops', 'readwrite');
      for (const pollId of polls) {
        transaction.objectStore('ops').add({
          opId: crypto.randomUUID(),
          userId: id,
          schemaVersion: 1,
          type: 'vote',
          payload: { pollId, option: 1 },
          entityId: pollId,
          state: 'queued',
          attempts: 0,
          nextAttemptAt: 0,
          leaseOwner: null,
          leaseUntil: 0,
          lastError: null,
          createdAt: Date.now(),
        });
      }
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      db.close();
    },
    [userId, pollIds] as const,
  );
}

/** The number of ops in a user's outbox. */
export function countOutboxOps(page: Page, userId: number): Promise<number> {
  return page.evaluate(async (id) => {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(`this-or-that-user-${id}`);
      request.onsuccess = () => resolve(request.result);
    });
    const count = await new Promise<number>((resolve) => {
      const request = db.transaction('ops').objectStore('ops').count();
      request.onsuccess = () => resolve(request.result);
    });
    db.close();
    return count;
  }, userId);
}
