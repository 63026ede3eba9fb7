import { setTimeout as sleep } from 'node:timers/promises';
import { sendBatch } from '#shared/service/contract.ts';
import type { TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import { OLDER_SERVER_HEADER } from './older-server.ts';
import { FAULT_HEADER } from './proxy.ts';
import type { Release } from './releases.ts';
import type { World } from './world.ts';

/** How long a timeout of the app takes in real time when no response arrives. */
const REAL_TIMEOUT_MS = 20;
/** A request that is still pending after this time has no timeout. */
const TIMED_OUT_WITHIN_MS = 3_000;

/** Sends a device's request to the server through the proxy, with the next fault. */
export async function sendThroughProxy(
  world: World,
  device: { readonly violations: string[]; advanceClock(ms: number): Promise<void> },
  release: Release,
  request: TransportRequest,
): Promise<TransportResponse> {
  const transport = release.fetchTransport(world.proxy.url);
  const fault = world.drawFault(request);
  const isOlder = world.goesToOlderServer(request);
  const headers: Record<string, string> = { ...request.headers, [FAULT_HEADER]: String(fault) };
  if (isOlder) {
    headers[OLDER_SERVER_HEADER] = world.older.name;
    // A 304 would confirm the fields of the current server that the older one does not send.
    delete headers['If-None-Match'];
  }
  const path = pathAt(world, isOlder, request);
  if (fault !== 'no_response' && fault !== 'processed_without_response') {
    return transport({ ...request, path, headers });
  }

  const sending = transport({ ...request, path, headers, timeoutMs: REAL_TIMEOUT_MS }).catch(() => null);
  const pending = Symbol('pending');
  const result = await Promise.race([sending, sleep(TIMED_OUT_WITHIN_MS, pending, { ref: false })]);
  if (result === pending) device.violations.push('a request without a response never times out');
  // On the device's clock the request takes the app's whole timeout.
  await device.advanceClock(request.timeoutMs);
  throw new NetworkFailure('no response');
}

/** The path of a request's call on the server that receives it. */
function pathAt({ newer, older }: World, isOlder: boolean, { method, path }: TransportRequest): string {
  if (isOlder) return older.pathOf(method, path);
  // A newer server without the vote call, and without batches, which contain votes: simulated by a path that no server has.
  const isMissing = newer.lacksVoteCalls && (path.endsWith('/vote') || path === sendBatch.path);
  return isMissing ? `${path}-missing` : path;
}
