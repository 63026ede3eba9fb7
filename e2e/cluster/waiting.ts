import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOLDS_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 20;

/** Waits until `holds`; throws `reason` when that takes too long. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  reason: string | (() => string),
  withinMs = HOLDS_WITHIN_MS,
  everyMs = ASK_EVERY_MS,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(typeof reason === 'string' ? reason : reason());
    await sleep(everyMs);
  }
}

/** Whether somebody listens at a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
