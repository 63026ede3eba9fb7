import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type LiveSocketHarness, liveSocketHarness } from '#sync/testing/live-socket-harness.ts';

// Set before each test.
let { clock, live, socket, sockets, calls } = {} as LiveSocketHarness;

beforeEach(() => {
  ({ clock, live, socket, sockets, calls } = liveSocketHarness());
  live.start();
  socket(0).open();
});

test('pings are sent every 30 s while pongs arrive', () => {
  const startMs = clock.now();
  for (let count = 1; count <= 3; count++) {
    clock.advance(30_000);
    const { sent, deliver } = socket(0);
    expect(sent.map(({ timestamp }) => timestamp - startMs)).toEqual(
      Array.from({ length: count }, (_, index) => (index + 1) * 30_000),
    );
    deliver({ type: 'pong', timestamp: clock.now(), serverTime: 5 });
  }
  expect(sockets).toHaveLength(1);
});

test('the socket is replaced after a ping without a pong', () => {
  clock.advance(40_000);
  expect(socket(0).isClosed).toBe(true);
  expect(calls.onConnectionLost).toHaveBeenCalledTimes(1);
  clock.advance(5_000);
  expect(sockets).toHaveLength(2);
});

test('the pong of the latest ping provides the server’s time and the round-trip time', () => {
  clock.advance(30_000);
  const [ping] = socket(0).sent;
  clock.advance(80);
  socket(0).deliver({ type: 'pong', timestamp: ping?.timestamp ?? 0, serverTime: 1_800_000_000_000 });
  socket(0).deliver({ type: 'pong', timestamp: 1, serverTime: 2 });
  expect(calls.onServerTime.mock.calls).toEqual([[1_800_000_000_000, 80]]);
});

test('a pong provides no time if the clock was set back since the ping', () => {
  clock.advance(30_000);
  const timestamp = clock.now();
  clock.setBack(1_000);
  socket(0).deliver({ type: 'pong', timestamp, serverTime: 5 });
  expect(calls.onServerTime).not.toHaveBeenCalled();
});

describe('a page after a suspension', () => {
  const suspendFor = (ms: number) => vi.spyOn(clock, 'now').mockReturnValue(clock.now() + ms);

  test('pings as soon as it becomes visible if a ping was due', () => {
    suspendFor(30_000);
    live.setVisible(false);
    expect(socket(0).sent).toHaveLength(0);
    live.setVisible(true);
    expect(socket(0).sent).toHaveLength(1);
  });

  test('does not ping before a ping is due', () => {
    suspendFor(29_999);
    live.setVisible(true);
    expect(socket(0).sent).toHaveLength(0);
  });

  test('does not ping on a socket that is not open yet', () => {
    socket(0).close(1001);
    clock.advance(5_000);
    suspendFor(30_000);
    live.setVisible(true);
    expect(socket(1).sent).toHaveLength(0);
  });
});
