import { WebSocket } from 'ws';
import type { TestUser } from '#e2e/hard/changes.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { liveMessageSchema } from '#shared/live/schema.ts';
import { until } from './waiting.ts';

const RECONNECT_AFTER_MS = 500;

/** A received number of votes of a poll, and when it was received. */
type ReceivedVotes = { votesCount: number; atMs: number };

/** A client for live updates that reconnects when its socket is lost, as the app does, but sooner. */
export class LiveClient {
  readonly #address: string;
  readonly #user: TestUser;
  readonly #received = new Map<string, ReceivedVotes[]>();
  #socket: WebSocket | null = null;
  #isClosed = false;
  /** How often the socket was lost. */
  losses = 0;

  constructor(address: string, user: TestUser) {
    this.#address = address.replace('http', 'ws');
    this.#user = user;
    this.#open();
  }

  #open(): void {
    const headers = { Cookie: this.#user.cookie };
    const socket = new WebSocket(this.#address + LIVE_PATH, { headers });
    this.#socket = socket;
    let wasOpen = false;
    socket.on('open', () => {
      wasOpen = true;
    });
    socket.on('message', (data) => this.#record(data.toString()));
    // The event `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#isClosed) return;
      if (wasOpen) this.losses += 1;
      setTimeout(() => {
        if (!this.#isClosed) this.#open();
      }, RECONNECT_AFTER_MS);
    });
  }

  #record(text: string): void {
    const message = liveMessageSchema.parse(JSON.parse(text));
    if (message.type !== 'poll.votes') return;
    const received = this.#received.get(message.id) ?? [];
    received.push({ votesCount: message.votesCount, atMs: performance.now() });
    this.#received.set(message.id, received);
  }

  /** When the client first received that a poll has at least `votesCount` votes; undefined if it has not. */
  receivedAtMs(pollId: string, votesCount: number): number | undefined {
    return this.#received.get(pollId)?.find((received) => received.votesCount >= votesCount)?.atMs;
  }

  /** Waits until the socket is open. */
  async waitUntilOpen(): Promise<void> {
    await until(() => this.#socket?.readyState === WebSocket.OPEN, 'A socket did not open.');
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.terminate();
  }
}
