import { setTimeout as sleep } from 'node:timers/promises';
import { sendBatch } from '#shared/service/contract.ts';
import type { TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import { OLDER_SERVER_HEADER } from './older-server.ts';
import { FAULT_HEADER } from './proxy.ts';
import type { Release } from './releases.ts';
import type { World } from './world.ts';

/** What a time-out of the app takes in real time, when nobody answers. */
const REAL_TIMEOUT_MS = 20;
/** A request that is still waiting by then has no time-out. */
const GIVEN_UP_WITHIN_MS = 3_000;

/** Sends a request of a device to the server, with whatever is to happen to it on its way. */
export async function throughProxy(
  world: World,
  device: { readonly broken: string[]; pass(ms: number): Promise<void> },
  release: Release,
  request: TransportRequest,
): Promise<TransportResponse> {
  const transport = release.fetchTransport(world.proxy.url);
  const fault = world.drawFault(request);
  const isOlder = world.goesToOlderServer(request);
  const headers: Record<string, string> = { ...request.headers, [FAULT_HEADER]: String(fault) };
  if (isOlder) {
    headers[OLDER_SERVER_HEADER] = world.older.name;
    delete headers['If-None-Match'];
  }
  const path = pathAt(world, isOlder, request);
  if (fault !== 'silence' && fault !== 'silent_server') return transport({ ...request, path, headers });

  const sending = transport({ ...request, path, headers, timeoutMs: REAL_TIMEOUT_MS }).catch(() => null);
  const isOver = Symbol('over');
  const answer = await Promise.race([sending, sleep(GIVEN_UP_WITHIN_MS, isOver, { ref: false })]);
  if (answer === isOver) device.broken.push('a request that nobody answers is never given up');
  // By the clock of the device it takes all the time that the app gives it.
  await device.pass(request.timeoutMs);
  throw new NetworkFailure('nobody answered');
}

/** Where the server that a request reaches has its call. */
function pathAt({ newer, older }: World, isOlder: boolean, { method, path }: TransportRequest): string {
  if (isOlder) return older.pathOf(method, path);
  const isMoved = newer.hasMovedVotes && (path.endsWith('/vote') || path === sendBatch.path);
  return isMoved ? `${path}-as-it-was` : path;
}
