import { beforeEach, describe, expect, test } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session, UserSession } from '#sync/client/session/session-context.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { errorResponse, json, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { createPuller } from './puller.ts';

async function newUserSession(): Promise<UserSession> {
  const { db, userId } = await freshUserDb();
  return { status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false };
}

let formerSession: UserSession;

beforeEach(async () => {
  formerSession = await newUserSession();
});

/** Pulls the own polls in `formerSession`. The first response is `actor_mismatch`, after which the session is `nextSession`. */
async function pullDuringChangeTo(nextSession: Session) {
  const session = observable<Session>(formerSession);
  const { transport, sent } = scriptedTransport(errorResponse('actor_mismatch'), json(200, [samplePoll()]));
  const puller = createPuller({
    transport,
    clock: fakeClock(),
    storage: fakeBrowser.storage,
    session,
    onLoggedOut: async () => session.set(nextSession),
  });
  return { result: await puller.pullMine(), requests: sent.length };
}

const countPolls = (db: UserDb) => db.polls.count();

describe('a pull without a valid session', () => {
  test('is repeated for the same user in a new session, and stored in its database', async () => {
    const { db } = await freshUserDb();
    await db.user.put(formerSession.user);
    expect(await pullDuringChangeTo({ ...formerSession, db })).toEqual({ result: 'updated', requests: 2 });
    expect([await countPolls(formerSession.db), await countPolls(db)]).toEqual([0, 1]);
  });

  test('is not repeated for a user who has to log in first', async () => {
    const nextSession = { ...formerSession, needsLogin: true };
    expect(await pullDuringChangeTo(nextSession)).toEqual({ result: 'logged_out', requests: 1 });
    expect(await countPolls(formerSession.db)).toBe(0);
  });

  test('is not repeated for another user', async () => {
    const otherSession = await newUserSession();
    expect(await pullDuringChangeTo(otherSession)).toEqual({ result: 'logged_out', requests: 1 });
    expect([await countPolls(formerSession.db), await countPolls(otherSession.db)]).toEqual([0, 0]);
  });

  test('is not repeated for a visitor', async () => {
    expect(await pullDuringChangeTo({ status: 'visitor' })).toEqual({ result: 'logged_out', requests: 1 });
  });
});
