import type { LiveMessage } from '#shared/live/schema.ts';
import type { Capabilities, SocketEvents } from '#sync/client/capabilities.ts';

/** One socket as the server's side of a test sees it. */
export type FakeSocket = {
  path: string;
  /** What the device has sent. */
  sent: { type: string; timestamp: number }[];
  isClosed: boolean;
  open(): void;
  deliver(message: LiveMessage): void;
  deliverText(text: string): void;
  close(code: number): void;
};

/** Sockets that do nothing by themselves. `all` has them in the order in which they were asked for. */
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
        deliver: (message) => events.heard(JSON.stringify(message)),
        deliverText: events.heard,
        close: events.closed,
      };
      all.push(socket);
      return {
        send: (text) => socket.sent.push(JSON.parse(text)),
        close() {
          socket.isClosed = true;
          // As in a browser, which tells of it though the device asked for it itself.
          events.closed(1005);
        },
      };
    },
  };
}
