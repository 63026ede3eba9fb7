import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { User } from '#shared/accounts/schema.ts';
import type { Capabilities, TransportRequest } from '#sync/client/capabilities.ts';
import { localLock } from '#sync/client/device/lock.ts';
import { createEngine, type Engine } from '#sync/client/engine.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import type { UserSession } from '#sync/client/session/session-context.ts';
import { fakeBrowser, fakeDeviceNote } from './fake-browser.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type FakeSocket, fakeSockets } from './fake-sockets.ts';
import { json, type Reply } from './fake-transport.ts';
import { POLL_ID, samplePoll, sampleUser } from './samples.ts';

export const VOTE_ROUTE = `POST /api/questions/${POLL_ID}/vote`;

/** A device and a server that can be reached until `routes` is emptied. */
export type EngineHarness = {
  /** The account as the server has it. Set it together with the routes that return it. */
  serverUser: User;
  /** The replies of the server by `METHOD /path`. Requests to other paths fail. */
  routes: Record<string, Reply>;
  /** The requested routes except health checks, in order. */
  sent: string[];
  /** The number of health checks. */
  healthCheckCount: number;
  clock: FakeClock;
  /** The opened sockets, in order. */
  sockets: FakeSocket[];
  /** Creates the engine of another tab of the device, optionally with other capabilities. */
  newEngine(capabilities?: Partial<Capabilities>): Engine;
};

/** Creates a device with empty databases. */
export function engineHarness(): EngineHarness {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  const clock = fakeClock();
  const sockets = fakeSockets();
  const listeners = new Set<() => void>();
  const deviceNote = fakeDeviceNote();
  const user = sampleUser({ id: 5_000 });
  const harness: EngineHarness = {
    serverUser: user,
    routes: {
      'GET /api/health': json(200, { status: 'ok', app: 'this-or-that', version: '1' }),
      'GET /api/user': json(200, user),
      'POST /api/logout': json(204, null),
      [VOTE_ROUTE]: json(200, {
        poll: samplePoll({ votes: [{ option: 1 }], rev: 6 }),
        user: { ...user, points: 11, rev: 2 },
      }),
    },
    sent: [],
    healthCheckCount: 0,
    clock,
    sockets: sockets.all,
    newEngine(capabilities = {}) {
      const transport = async (request: TransportRequest) => {
        const route = `${request.method} ${request.path.split('?')[0]}`;
        if (route === 'GET /api/health') harness.healthCheckCount += 1;
        else harness.sent.push(route);
        const response = await harness.routes[route]?.(request);
        if (response === undefined || response === 'no_response') throw new NetworkFailure('no response');
        return response;
      };
      const { openSocket } = sockets;
      const tabs = newSessionChannel(listeners);
      return createEngine({
        ...fakeBrowser,
        transport,
        clock,
        tabs,
        openSocket,
        deviceNote,
        lock: localLock(),
        ...capabilities,
      });
    },
  };
  return harness;
}

/** Creates the session channel of a tab, whose announcements reach all other tabs. */
function newSessionChannel(listeners: Set<() => void>) {
  let ownListener = () => {};
  return {
    announce() {
      for (const listener of listeners) if (listener !== ownListener) listener();
    },
    listen(listener: () => void) {
      ownListener = listener;
      listeners.add(listener);
    },
  };
}

/** Returns the session of an engine with a logged-in user. */
export function userSessionOf(engine: Engine): UserSession {
  const session = engine.session.get();
  if (session.status !== 'user') throw new Error(`expected a user, not ${session.status}`);
  return session;
}
