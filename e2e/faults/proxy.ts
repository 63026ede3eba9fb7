import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedRequests, batchedResponses } from './batches.ts';
import type { KeyedCall } from './effect-log.ts';

/**
 * The faults of a request:
 * - `drop_request`: the connection breaks before the server receives the request
 * - `truncate_upload`: the server receives half of the body
 * - `drop_response`: the server processes the request, but the response is lost
 * - `truncate_response`: half of the response arrives
 * - `delay_request`: the request arrives late
 * - `delay_response`: the response arrives late
 * - `duplicate`: the server receives the request twice at the same moment
 * - a number: a gateway responds with this status; the server never receives the request
 * - `late_502`: a gateway responds with 502 although the server processes the request
 * - `retry_in_an_hour`: a gateway responds with a `Retry-After` that is longer than a device may wait
 * - `captive_portal`: a captive portal responds with 200 and its own page
 * - `no_response`: neither a response nor an error ever arrives; the server never receives the request
 * - `processed_without_response`: the same, but the server processes the request
 */
export const FAULTS = [
  'drop_request',
  'truncate_upload',
  'drop_response',
  'truncate_response',
  'delay_request',
  'delay_response',
  'duplicate',
  'late_502',
  'captive_portal',
  'retry_in_an_hour',
  'no_response',
  'processed_without_response',
  429,
  500,
  502,
  504,
] as const;

export type Fault = 'none' | (typeof FAULTS)[number];

/** The request header that names the fault. */
export const FAULT_HEADER = 'X-Fault';

const REQUEST_DELAY_MS = 15;
const RESPONSE_DELAY_MS = 120;

export type ProxyResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A call as the proxy receives it. `path` includes the query string. */
export type Call = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/**
 * A server's response to a call with a key, sent separately or in a batch, even if the response never reaches the device.
 * `requestedAt` is the return value of `onRequest`.
 */
export type KeyedResponse = {
  key: string;
  requestedAt: number;
  status: number;
  body: { code?: ErrorCode } | null;
};

export type FaultProxy = { url: string; close(): Promise<void> };

/** The servers behind the proxy. */
export type Upstream = {
  /** The address of the server that gets the next request; called once for each request. */
  route(): string;
  /** Called just before a server gets calls with keys; returns a logical time. */
  onRequest(calls: readonly KeyedCall[]): number;
  /** Called for each response of a server to a call with a key. */
  onResponse(response: KeyedResponse): void;
  /** What the device gets instead of a server's response. */
  rewrite(response: ProxyResponse, call: Call): ProxyResponse;
};

/** A proxy in front of the servers that injects into each request the fault named in its header. */
export async function startFaultProxy(upstream: Upstream): Promise<FaultProxy> {
  const server = createServer((incoming, outgoing) => {
    // Any error, such as that of a killed server, breaks the device's connection.
    handle(upstream, faultOf(incoming), incoming, outgoing).catch(() => outgoing.destroy());
  });
  const port = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

function faultOf({ headers }: IncomingMessage): Fault {
  return FAULTS.find((fault) => String(fault) === headers[FAULT_HEADER.toLowerCase()]) ?? 'none';
}

async function handle(
  upstream: Upstream,
  fault: Fault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(incoming));
  const callServer = () => forward(upstream, incoming, body);
  switch (fault) {
    case 'drop_request':
      outgoing.destroy();
      return;
    case 'truncate_upload':
      await truncateUpload(upstream, incoming, body);
      outgoing.destroy();
      return;
    case 'drop_response':
      await callServer();
      outgoing.destroy();
      return;
    case 'truncate_response': {
      const response = await callServer();
      outgoing.writeHead(response.status, response.headers);
      outgoing.write(response.body.subarray(0, response.body.length / 2), () => outgoing.destroy());
      return;
    }
    case 'delay_request':
      await sleep(REQUEST_DELAY_MS);
      return respond(outgoing, await callServer());
    case 'delay_response': {
      const response = await callServer();
      await sleep(RESPONSE_DELAY_MS);
      return respond(outgoing, response);
    }
    case 'duplicate': {
      const [, second] = await Promise.all([callServer(), callServer()]);
      return respond(outgoing, second);
    }
    case 'late_502':
      await callServer();
      return respondAsGateway(outgoing, 502);
    case 'captive_portal':
      outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Captive portal</h1>');
      return;
    case 'retry_in_an_hour':
      return respondAsGateway(outgoing, 503, 3_600);
    case 'no_response':
    case 'processed_without_response':
      if (fault === 'processed_without_response') await callServer();
      return;
    case 'none':
      return respond(outgoing, await callServer());
    default:
      return respondAsGateway(outgoing, fault);
  }
}

function respond(outgoing: ServerResponse, { status, headers, body }: ProxyResponse): void {
  outgoing.writeHead(status, headers).end(body);
}

function respondAsGateway(
  outgoing: ServerResponse,
  status: number,
  retryAfterS = status === 429 ? 2 : null,
): void {
  const retryAfter = retryAfterS === null ? {} : { 'Retry-After': String(retryAfterS) };
  outgoing.writeHead(status, { 'Content-Type': 'text/plain', ...retryAfter }).end('gateway');
}

/** The calls of a request that have keys. */
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
  { route, onRequest, onResponse, rewrite }: Upstream,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<ProxyResponse> {
  const call = toCall(incoming, body);
  const calls = callsOf(call);
  const requestedAt = onRequest(calls);
  const outgoing = request(route() + incoming.url, {
    method: incoming.method ?? 'GET',
    headers: headersToForward(incoming),
    agent: false,
  });
  outgoing.end(body);
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  const response = {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: Buffer.concat(await Array.fromAsync(message)),
  };
  const text = response.body.toString();
  if (call.path === sendBatch.path) {
    for (const part of batchedResponses(text)) {
      onResponse({ ...part, requestedAt, body: part.body as KeyedResponse['body'] });
    }
  } else {
    for (const { key } of calls) {
      onResponse({ key, requestedAt, status: response.status, body: JSON.parse(text || 'null') });
    }
  }
  return rewrite(response, call);
}

async function truncateUpload(
  { route, onRequest }: Upstream,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<void> {
  // A request without a body is complete: only its response is lost.
  if (body.length === 0) onRequest(callsOf(toCall(incoming, body)));
  const outgoing = request(route() + incoming.url, {
    method: incoming.method ?? 'GET',
    headers: { ...headersToForward(incoming), 'content-length': String(body.length) },
    agent: false,
  });
  outgoing.on('error', () => {});
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  await once(outgoing, 'close');
}

function headersToForward({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { connection, 'transfer-encoding': _, [FAULT_HEADER.toLowerCase()]: __, ...rest } = headers;
  return rest;
}
