import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { openDeviceDb } from '#sync/client/db.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session, SessionContext, UserSession } from '#sync/client/session/session-context.ts';
import { fakeBrowser } from './fake-browser.ts';
import { fakeClock } from './fake-clock.ts';
import { type Reply, scriptedTransport } from './fake-transport.ts';

/** The session context of a tab on a device with empty databases. */
export type SessionHarness = {
  context: SessionContext;
  /** The number of announcements to other tabs. */
  announcementCount: number;
  /** Sets the replies to later requests, in order, and returns the list of these requests. */
  answer(...replies: Reply[]): TransportRequest[];
  /** The session of the logged-in user. */
  current(): UserSession;
  entry(key: 'lastUserId' | 'signedOut'): Promise<number | undefined>;
};

export function sessionHarness(): SessionHarness {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  const context: SessionContext = {
    transport: scriptedTransport().transport,
    clock: fakeClock(),
    device: openDeviceDb('test'),
    session: observable<Session>({ status: 'loading' }),
    tabs: {
      announce() {
        harness.announcementCount += 1;
      },
      listen() {},
    },
    databasePrefix: 'test',
    generation: 0,
    notifying: null,
    loginUntilMs: 0,
    storage: fakeBrowser.storage,
    deviceNote: fakeBrowser.deviceNote,
    takeCleared: () => false,
    onEvicted: () => {},
  };
  const harness: SessionHarness = {
    context,
    announcementCount: 0,
    answer(...replies) {
      const { transport, sent } = scriptedTransport(...replies);
      context.transport = transport;
      return sent;
    },
    current() {
      const session = context.session.get();
      if (session.status !== 'user') throw new Error(`expected a user, not ${session.status}`);
      return session;
    },
    entry: async (key) => (await context.device.entries.get(key))?.value,
  };
  return harness;
}
