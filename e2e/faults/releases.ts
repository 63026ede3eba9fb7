import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OpenApiDocument } from '#api/docs/build-document.ts';
import type { Capabilities, Transport } from '#sync/client/capabilities.ts';
import { fetchTransport } from '#sync/client/device/transport.ts';
import type { Engine } from '#sync/client/engine.ts';
import { createEngine } from '#sync/client/engine.ts';
import type { OpType } from '#sync/operations/registry.ts';
import type { OpState } from '#sync/protocol/op.ts';
import { fromJson, type StoredDatabase } from './stored-databases.ts';

/** The sync engine of a release; `name` is its version. A candidate precedes the first release, and knows no epoch. */
export type Release = {
  name: string;
  isCandidate: boolean;
  createEngine(capabilities: Capabilities): Engine;
  fetchTransport(baseUrl: string): Transport;
};

/** The databases that a release left on a device, and what the app showed. Times are milliseconds since 1970. */
export type RecordedDevice = {
  databases: StoredDatabase[];
  recordedAt: number;
  userId: number;
  shown: RecordedView;
};

/** What the screens show and no later release may lose. */
export type RecordedView = {
  /** The polls of the Polls tab, the trending ones first. The name is that in the recorded files. */
  feed: { id: string; question: string; vote: 1 | 2 | null }[];
  /** The questions of the user's own polls; polls that are waiting to be sent come first. */
  mine: string[];
  /** The ops that need the user's decision. The name is that in the recorded files. */
  needsYou: RecordedOp[];
  waiting: RecordedOp[];
  points: { confirmed: number; pendingEarned: number; pendingSpent: number };
};

/** An op in the outbox. `pictures`, the name in the recorded files, is the number of its images. */
export type RecordedOp = { opId: string; type: OpType; entityId: string; state: OpState; pictures: number };

const FOLDER = join(import.meta.dirname, 'releases');

/** The engine of this commit. */
export const CURRENT: Release = { name: 'current', isCandidate: false, createEngine, fetchTransport };

/** Makes a release candidate sort before its release. */
const sortKeyOf = (name: string) => (name.includes('-') ? name : `${name}-zz`);

/** The versions that have fixtures, oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort((one, other) =>
  sortKeyOf(one).localeCompare(sortKeyOf(other), 'en', { numeric: true }),
);

/** Loads the engine from a folder written by `npm run release:fixtures`. */
export async function loadEngine(folder: string, name: string): Promise<Release> {
  const built: Omit<Release, 'name' | 'isCandidate'> = await import(
    /* @vite-ignore */ pathToFileURL(join(folder, 'engine.js')).href
  );
  const { createEngine, fetchTransport } = built;
  return { name, isCandidate: name.includes('-'), createEngine, fetchTransport };
}

/** Loads the engines of all earlier releases, oldest first. */
export function loadReleases(): Promise<Release[]> {
  return Promise.all(RELEASES.map((name) => loadEngine(join(FOLDER, name), name)));
}

/** The OpenAPI document of a release's server; null if the release has none. */
export function readServerRelease(name: string): OpenApiDocument | null {
  const path = join(FOLDER, name, 'openapi.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** Reads the databases that a release left on a device. */
export function readRecordedDevice(name: string): RecordedDevice {
  return fromJson<RecordedDevice>(readFileSync(join(FOLDER, name, 'database.json'), 'utf8'));
}
