import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const DEFAULT_TIMEOUT_MS = 60_000;
const CHECK_EVERY_MS = 20;

/** Waits until `holds` returns true; throws an error with `message` after a timeout. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  message: string | (() => string),
  withinMs = DEFAULT_TIMEOUT_MS,
  everyMs = CHECK_EVERY_MS,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(typeof message === 'string' ? message : message());
    await sleep(everyMs);
  }
}

/** Whether a server listens on a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
