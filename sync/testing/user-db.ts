import 'fake-indexeddb/auto';
import { openUserDb, type UserDb } from '#sync/client/db.ts';
import { sampleUser } from './samples.ts';

let nextUserId = 1_000;

/** Creates the database of a new user, which contains only the user. */
export async function freshUserDb(points = 10): Promise<{ db: UserDb; userId: number }> {
  nextUserId += 1;
  const db = openUserDb('test', nextUserId);
  await db.user.put(sampleUser({ id: nextUserId, points }));
  return { db, userId: nextUserId };
}
