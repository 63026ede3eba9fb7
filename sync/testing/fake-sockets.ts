import type { LiveMessage } from '#shared/live/schema.ts';
import type { Capabilities, SocketEvents } from '#sync/client/capabilities.ts';

/** The close code (RFC 6455) that a browser reports if the other side has sent none. */
const NO_CLOSE_CODE = 1005;

/** A socket of the device, whose functions act as the server. */
export type FakeSocket = {
  path: string;
  /** What the device has sent. */
  sent: { type: string; timestamp: number }[];
  /** Whether the device has closed the socket. It also does so after the server has closed it (`close`). */
  isClosed: boolean;
  open(): void;
  deliver(message: LiveMessage): void;
  deliverText(text: string): void;
  close(code: number): void;
};

/** Creates sockets that are controlled by tests. `all` lists them in the order in which they were opened. */
export function fakeSockets(): { openSocket: Capabilities['openSocket']; all: FakeSocket[] } {
  const all: FakeSocket[] = [];
  return {
    all,
    openSocket(path, events: SocketEvents) {
      const socket: FakeSocket = {
        path,
        sent: [],
        isClosed: false,
        open: events.opened,
        deliver: (message) => events.received(JSON.stringify(message)),
        deliverText: events.received,
        close: events.closed,
      };
      all.push(socket);
      return {
        send: (text) => socket.sent.push(JSON.parse(text)),
        close() {
          socket.isClosed = true;
          // A browser also reports a close that the page has requested.
          events.closed(NO_CLOSE_CODE);
        },
      };
    },
  };
}
