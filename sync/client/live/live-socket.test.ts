import { beforeEach, describe, expect, test } from 'vitest';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import { type LiveSocketHarness, liveSocketHarness, userSession } from '#sync/testing/live-socket-harness.ts';
import { POLL_ID } from '#sync/testing/samples.ts';

const UPDATE = { type: 'poll.created', id: POLL_ID } as const;

// Set before each test.
let { clock, live, session, socket, sockets, calls } = {} as LiveSocketHarness;

beforeEach(() => {
  ({ clock, live, session, socket, sockets, calls } = liveSocketHarness());
});

describe('a socket is opened', () => {
  test('once for a logged-in user, with the id of the user in its path', () => {
    expect(sockets).toHaveLength(0);
    live.start();
    expect(socket(0).path).toBe('/ws?user=100');
    session.set(userSession(100));
    expect(sockets).toHaveLength(1);
  });

  test('only once a user is logged in and does not have to log in again', () => {
    session.set({ status: 'visitor' });
    live.start();
    session.set(userSession(100, { needsLogin: true }));
    expect(sockets).toHaveLength(0);
    session.set(userSession(100));
    expect(sockets).toHaveLength(1);
  });

  test('only while the page is visible, but not closed when the page is hidden', () => {
    live.setVisible(false);
    live.start();
    expect(sockets).toHaveLength(0);
    live.setVisible(true);
    socket(0).open();
    live.setVisible(false);
    expect(socket(0).isClosed).toBe(false);
    socket(0).close(1001);
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    live.setVisible(true);
    expect(sockets).toHaveLength(2);
  });

  test('for the next user when another user logs in, and the old socket is closed', () => {
    live.start();
    socket(0).open();
    session.set(userSession(101));
    expect(socket(0).isClosed).toBe(true);
    expect(socket(1).path).toBe('/ws?user=101');
    socket(1).open();
    socket(0).deliver(UPDATE);
    socket(0).close(1006);
    clock.advance(20_000);
    expect(calls.onUpdate).not.toHaveBeenCalled();
    expect(calls.onConnectionLost).not.toHaveBeenCalled();
    expect(sockets).toHaveLength(2);
  });
});

test('a user who logs in during the reconnect delay gets one socket', () => {
  live.start();
  socket(0).open();
  socket(0).close(1006);
  session.set(userSession(101));
  expect(socket(1).path).toBe('/ws?user=101');
  clock.advance(5_000);
  expect(sockets).toHaveLength(2);
});

test('a session check is made for each user whose first socket does not open', () => {
  live.start();
  socket(0).close(1006);
  session.set(userSession(101));
  socket(1).close(1006);
  expect(calls.onSessionDoubt).toHaveBeenCalledTimes(2);
});

describe('a socket that closes', () => {
  test('is followed by another socket 5 s later, and its loss is reported once', () => {
    live.start();
    socket(0).open();
    socket(0).close(1006);
    expect(calls.onConnectionLost).toHaveBeenCalledTimes(1);
    clock.advance(4_999);
    expect(sockets).toHaveLength(1);
    clock.advance(1);
    expect(sockets).toHaveLength(2);
    for (let attempt = 1; attempt <= 20; attempt++) {
      socket(attempt).close(1006);
      clock.advance(5_000);
    }
    expect(sockets).toHaveLength(22);
    expect(calls.onConnectionLost).toHaveBeenCalledTimes(1);
  });

  test('makes the next socket count as a reconnect', () => {
    live.start();
    socket(0).open();
    socket(0).close(1001);
    clock.advance(5_000);
    socket(1).open();
    expect(calls.onOpen.mock.calls).toEqual([[false], [true]]);
  });

  test('before it was open causes one session check, and the next only after a socket was open', () => {
    live.start();
    for (let attempt = 0; attempt < 5; attempt++) {
      socket(attempt).close(1006);
      clock.advance(5_000);
    }
    expect(calls.onSessionDoubt).toHaveBeenCalledTimes(1);
    expect(calls.onConnectionLost).not.toHaveBeenCalled();
    socket(5).open();
    socket(5).close(1006);
    clock.advance(5_000);
    socket(6).close(1006);
    expect(calls.onSessionDoubt).toHaveBeenCalledTimes(2);
  });

  test('because the session has ended causes a session check', () => {
    calls.onSessionDoubt.mockImplementation(() => session.set(userSession(100, { needsLogin: true })));
    live.start();
    socket(0).open();
    socket(0).close(SOCKET_CLOSE_CODES.SESSION_ENDED);
    expect(calls.onSessionDoubt).toHaveBeenCalledTimes(1);
    expect(calls.onConnectionLost).not.toHaveBeenCalled();
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });

  test('because the user has newer sockets is replaced when the page becomes visible', () => {
    live.start();
    socket(0).open();
    socket(0).close(SOCKET_CLOSE_CODES.REPLACED);
    session.set(userSession(100));
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    expect(calls.onConnectionLost).not.toHaveBeenCalled();
    live.setVisible(true);
    expect(sockets).toHaveLength(2);
  });

  test('before a logout is not followed by another socket', () => {
    live.start();
    socket(0).open();
    socket(0).close(1006);
    session.set({ status: 'visitor' });
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

test('a socket that has not opened after 10 s is closed and replaced', () => {
  live.start();
  clock.advance(10_000);
  expect(socket(0).isClosed).toBe(true);
  clock.advance(5_000);
  expect(sockets).toHaveLength(2);
});

test('unknown messages are ignored', () => {
  live.start();
  socket(0).open();
  for (const text of ['', 'x', 'null', '{"type":"comment","id":1}', '{"type":"user","points":"all"}']) {
    socket(0).deliverText(text);
  }
  expect(calls.onUpdate).not.toHaveBeenCalled();
  socket(0).deliver(UPDATE);
  expect(calls.onUpdate).toHaveBeenCalledExactlyOnceWith(UPDATE);
  expect(sockets).toHaveLength(1);
});
