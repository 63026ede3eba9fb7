import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { shareConnectionsFairly } from './connection-shares.ts';

const CONNECTIONS_MAX = 200;
/** With more open connections, each new one replaces another. */
const TAKEN_MAX = 190;

/** A server with shared connections; `open` opens one from an address. */
function createServer() {
  const server = new EventEmitter();
  shareConnectionsFairly(server, CONNECTIONS_MAX);
  const open = (remoteAddress: string) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    server.emit('connection', socket);
    return socket;
  };
  return { open };
}

const countOpen = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;

test.each([
  ['an IPv4 address', () => '192.0.2.4'],
  ['an IPv6 /48', (index: number) => `2001:db8:4:${index.toString(16)}::1`],
])(
  'a client that uses up all connections from %s loses its oldest connections to other clients',
  (_case, addressOf) => {
    const { open } = createServer();
    const otherConnections = [open('192.0.2.2'), open('192.0.2.3')];
    const greedyConnections = Array.from({ length: 2 * CONNECTIONS_MAX }, (_, index) =>
      open(addressOf(index)),
    );
    for (let count = 0; count < 20; count += 1) otherConnections.push(open('192.0.2.5'));
    expect(countOpen(otherConnections)).toBe(otherConnections.length);
    const keptCount = TAKEN_MAX - otherConnections.length;
    expect(countOpen(greedyConnections)).toBe(keptCount);
    expect(countOpen(greedyConnections.slice(-keptCount))).toBe(keptCount);
  },
);

test('a client with at most its fair share keeps all its connections', () => {
  const { open } = createServer();
  // 50 connections from each of four addresses: an address may always have 64.
  const connections = Array.from({ length: CONNECTIONS_MAX }, (_, index) => open(`192.0.2.${index % 4}`));
  expect(countOpen(connections)).toBe(CONNECTIONS_MAX);
});

test('closed connections do not count', async () => {
  const { open } = createServer();
  for (let index = 0; index < 2 * CONNECTIONS_MAX; index += 1) {
    const closed = open('192.0.2.4').destroy();
    await new Promise((resolve) => closed.once('close', resolve));
  }
  const connections = Array.from({ length: TAKEN_MAX }, () => open('192.0.2.5'));
  expect(countOpen(connections)).toBe(TAKEN_MAX);
});
