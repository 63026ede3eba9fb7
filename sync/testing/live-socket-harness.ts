import { vi } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { createLiveSocket } from '#sync/client/live/live-socket.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeClock } from './fake-clock.ts';
import { type FakeSocket, fakeSockets } from './fake-sockets.ts';
import { sampleUser } from './samples.ts';

/** A session of the user with this id. */
export function userSession(id: number, { needsLogin = false } = {}): Session {
  return { status: 'user', user: sampleUser({ id }), db: {} as UserDb, needsLogin };
}

/** Creates the socket of a visible tab with a logged-in user, without starting it. */
export function liveSocketHarness() {
  const clock = fakeClock();
  const { all: sockets, openSocket } = fakeSockets();
  const session = observable<Session>(userSession(100));
  const calls = {
    onOpen: vi.fn(),
    onUpdate: vi.fn(),
    onServerTime: vi.fn(),
    onConnectionLost: vi.fn(),
    onSessionDoubt: vi.fn(),
  };
  const live = createLiveSocket({ clock, openSocket, session, ...calls });
  live.setVisible(true);
  return {
    clock,
    session,
    calls,
    live,
    sockets,
    socket(index: number): FakeSocket {
      const socket = sockets[index];
      if (socket === undefined) throw new Error(`Socket ${index} was never opened.`);
      return socket;
    },
  };
}

export type LiveSocketHarness = ReturnType<typeof liveSocketHarness>;
