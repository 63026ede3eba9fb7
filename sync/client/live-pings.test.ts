import { beforeEach, expect, test } from 'vitest';
import { liveHarness } from '#sync/testing/live-harness.ts';

let { clock, live, socket, sockets, told } = liveHarness();

beforeEach(() => {
  ({ clock, live, socket, sockets, told } = liveHarness());
  live.start();
  socket(0).open();
});

test('go out every 30 s while pongs come', () => {
  const startMs = clock.now();
  for (let count = 1; count <= 3; count++) {
    clock.advance(30_000);
    const { sent, tell } = socket(0);
    expect(sent.map(({ timestamp }) => timestamp - startMs)).toEqual(
      Array.from({ length: count }, (_, index) => (index + 1) * 30_000),
    );
    tell({ type: 'pong', timestamp: clock.now(), serverTime: 5 });
  }
  expect(sockets).toHaveLength(1);
});

test('without a pong end the socket as if it had closed', () => {
  clock.advance(40_000);
  expect(socket(0).isClosed).toBe(true);
  expect(told.onTrouble).toHaveBeenCalledTimes(1);
  clock.advance(5_000);
  expect(sockets).toHaveLength(2);
});

test('bring the server’s time with how long they took; a pong for another ping does not', () => {
  clock.advance(30_000);
  const [ping] = socket(0).sent;
  clock.advance(80);
  socket(0).tell({ type: 'pong', timestamp: ping?.timestamp ?? 0, serverTime: 1_800_000_000_000 });
  socket(0).tell({ type: 'pong', timestamp: 1, serverTime: 2 });
  expect(told.onServerTime.mock.calls).toEqual([[1_800_000_000_000, 80]]);
});

test('a page that is looked at after a long sleep pings at once', () => {
  live.setVisible(false);
  clock.advance(29_000);
  live.setVisible(true);
  expect(socket(0).sent).toHaveLength(0);
  clock.advance(1_000);
  socket(0).tell({ type: 'pong', timestamp: clock.now(), serverTime: 1 });
  expect(socket(0).sent).toHaveLength(1);
});
