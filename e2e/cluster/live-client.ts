import { WebSocket } from 'ws';
import type { Person } from '#e2e/hard/changes.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { liveMessageSchema } from '#shared/live/schema.ts';
import { until } from './waiting.ts';

const RECONNECT_AFTER_MS = 500;

/** The newest that a client has heard of a poll, and when. */
type Heard = { votesCount: number; atMs: number };

/** A socket that is opened again whenever it is lost, as the app does. */
export class LiveClient {
  readonly #address: string;
  readonly #person: Person;
  readonly #heard = new Map<string, Heard[]>();
  #socket: WebSocket | null = null;
  #isClosed = false;
  /** How often it was lost. */
  losses = 0;

  constructor(address: string, person: Person) {
    this.#address = address.replace('http', 'ws');
    this.#person = person;
    this.#open();
  }

  #open(): void {
    const headers = { Cookie: this.#person.cookie };
    const socket = new WebSocket(this.#address + LIVE_PATH, { headers });
    this.#socket = socket;
    let wasOpen = false;
    socket.on('open', () => {
      wasOpen = true;
    });
    socket.on('message', (data) => this.#note(data.toString()));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#isClosed) return;
      if (wasOpen) this.losses += 1;
      setTimeout(() => this.#isClosed || this.#open(), RECONNECT_AFTER_MS);
    });
  }

  #note(text: string): void {
    const message = liveMessageSchema.parse(JSON.parse(text));
    if (message.type !== 'poll.votes') return;
    const heard = this.#heard.get(message.id) ?? [];
    heard.push({ votesCount: message.votesCount, atMs: performance.now() });
    this.#heard.set(message.id, heard);
  }

  /** When it first heard that a poll has so many votes, or more; undefined before that. */
  heardAtMs(pollId: string, votesCount: number): number | undefined {
    return this.#heard.get(pollId)?.find((heard) => heard.votesCount >= votesCount)?.atMs;
  }

  /** Waits until the socket is open. */
  async isOpen(): Promise<void> {
    await until(() => this.#socket?.readyState === WebSocket.OPEN, 'A socket did not open.');
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.terminate();
  }
}
