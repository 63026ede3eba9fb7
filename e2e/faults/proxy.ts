import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '#shared/errors.ts';
import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedAnswers, batchedRequests } from './batches.ts';
import type { KeyedCall } from './effect-log.ts';

/**
 * What can happen to one request on its way.
 * - `drop_before`: the server never sees it
 * - `cut_upload`: the server sees half of its body
 * - `drop_after`: the server does it, the answer is lost
 * - `cut_answer`: half of the answer arrives
 * - `delay`: it arrives late
 * - `late_answer`: the server answers at once, the answer arrives late
 * - `duplicate`: the server sees it twice at the same moment
 * - a number: something on the way answers with this status, the server never sees it
 * - `late_502`: a gateway gives up although the server does it
 * - `try_in_an_hour`: something on the way says so, which is longer than anybody should wait
 * - `portal`: a captive portal answers 200 with a page of its own
 * - `silence`, `silent_server`: nobody ever answers; the server never sees it, or does it
 */
export type Fault =
  | 'none'
  | 'drop_before'
  | 'cut_upload'
  | 'drop_after'
  | 'cut_answer'
  | 'delay'
  | 'late_answer'
  | 'duplicate'
  | 'late_502'
  | 'portal'
  | 'try_in_an_hour'
  | 'silence'
  | 'silent_server'
  | 429
  | 500
  | 502
  | 504;

export const FAULTS: readonly Fault[] = [
  'drop_before',
  'cut_upload',
  'drop_after',
  'cut_answer',
  'delay',
  'late_answer',
  'duplicate',
  'late_502',
  'portal',
  'try_in_an_hour',
  'silence',
  'silent_server',
  429,
  500,
  502,
  504,
];

/** Which fault it is stands in the request itself. */
export const FAULT_HEADER = 'X-Fault';

const DELAY_MS = 15;
const LATE_MS = 120;

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A call as it comes to the proxy. `path` has the query string. */
export type Call = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/**
 * What the server itself said to a call with a key, alone or in a batch, whether or not it got through. `askedAt` is what
 * `onAsked` has returned.
 */
export type Said = { key: string; askedAt: number; status: number; body: { code?: ErrorCode } | null };

export type FaultProxy = { url: string; close(): Promise<void> };

/** The servers behind the proxy. */
export type Upstream = {
  /** The address that the next request goes to; called when it is about to. */
  route(): string;
  /** Called when a server is about to get calls with keys; returns the time of it. */
  onAsked(calls: readonly KeyedCall[]): number;
  /** Hears every answer of a server's to a call with a key. */
  onSaid(said: Said): void;
  /** What the device gets instead of an answer that a server gave. */
  rewrite(answer: Answer, call: Call): Answer;
};

/** A proxy in front of servers that does to each request what its header says. */
export async function startFaultProxy(upstream: Upstream): Promise<FaultProxy> {
  const server = createServer((incoming, outgoing) => {
    // Whatever breaks on the way breaks the connection: that is what a proxy is for here.
    handle(upstream, faultOf(incoming), incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

function faultOf({ headers }: IncomingMessage): Fault {
  return FAULTS.find((fault) => String(fault) === headers[FAULT_HEADER.toLowerCase()]) ?? 'none';
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function handle(
  upstream: Upstream,
  fault: Fault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(incoming));
  const ask = () => forward(upstream, incoming, body);
  switch (fault) {
    case 'drop_before':
      outgoing.destroy();
      return;
    case 'cut_upload':
      await cutUpload(upstream, incoming, body);
      outgoing.destroy();
      return;
    case 'drop_after':
      await ask();
      outgoing.destroy();
      return;
    case 'cut_answer': {
      const answer = await ask();
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => outgoing.destroy());
      return;
    }
    case 'delay':
      await sleep(DELAY_MS);
      return pass(outgoing, await ask());
    case 'late_answer': {
      const answer = await ask();
      await sleep(LATE_MS);
      return pass(outgoing, answer);
    }
    case 'duplicate': {
      const [, second] = await Promise.all([ask(), ask()]);
      return pass(outgoing, second);
    }
    case 'late_502':
      await ask();
      return refuse(outgoing, 502);
    case 'portal':
      outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome to the train</h1>');
      return;
    case 'try_in_an_hour':
      return refuse(outgoing, 503, 3_600);
    case 'silence':
    case 'silent_server':
      if (fault === 'silent_server') await ask();
      return;
    case 'none':
      return pass(outgoing, await ask());
    default:
      return refuse(outgoing, fault);
  }
}

function pass(outgoing: ServerResponse, answer: Answer): void {
  outgoing.writeHead(answer.status, answer.headers).end(answer.body);
}

function refuse(outgoing: ServerResponse, status: number, retryAfterS = status === 429 ? 2 : null): void {
  const retryAfter = retryAfterS === null ? {} : { 'Retry-After': String(retryAfterS) };
  outgoing.writeHead(status, { 'Content-Type': 'text/plain', ...retryAfter }).end('gateway');
}

/** The calls with keys in a request. */
function callsOf({ method, path, headers, body }: Call): KeyedCall[] {
  const userId = String(headers[EXPECTED_USER_HEADER.toLowerCase()]);
  if (path === sendBatch.path) return batchedRequests(body).map((request) => ({ ...request, userId }));
  const key = headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()];
  return typeof key === 'string' ? [{ key, userId, method, path, body }] : [];
}

function toCall({ method = 'GET', url = '', headers }: IncomingMessage, body: Buffer): Call {
  return { method, path: url, headers, body: body.toString() };
}

async function forward(
  { route, onAsked, onSaid, rewrite }: Upstream,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const call = toCall(incoming, body);
  const calls = callsOf(call);
  const askedAt = onAsked(calls);
  const outgoing = request(route() + incoming.url, {
    method: incoming.method ?? 'GET',
    headers: withoutConnection(incoming),
    agent: false,
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const said = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(await Array.fromAsync(answer)),
  };
  const text = said.body.toString();
  if (call.path === sendBatch.path) {
    for (const part of batchedAnswers(text)) onSaid({ ...part, askedAt, body: part.body as Said['body'] });
  } else {
    for (const { key } of calls) {
      onSaid({ key, askedAt, status: said.status, body: JSON.parse(text || 'null') });
    }
  }
  return rewrite(said, call);
}

async function cutUpload(
  { route, onAsked }: Upstream,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<void> {
  // Without a body nothing is cut off: only the answer is lost.
  if (body.length === 0) onAsked(callsOf(toCall(incoming, body)));
  const outgoing = request(route() + incoming.url, {
    method: incoming.method ?? 'GET',
    headers: { ...withoutConnection(incoming), 'content-length': String(body.length) },
    agent: false,
  });
  outgoing.on('error', () => {});
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  await once(outgoing, 'close');
}

function withoutConnection({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { connection, 'transfer-encoding': _, [FAULT_HEADER.toLowerCase()]: __, ...rest } = headers;
  return rest;
}
