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

/** The sync engine of one release; `name` is its version. */
export type Release = {
  name: string;
  createEngine(capabilities: Capabilities): Engine;
  fetchTransport(baseUrl: string): Transport;
};

/** What a device of a release has stored, and what the app showed of it. Times are milliseconds since 1970. */
export type RecordedDevice = {
  databases: StoredDatabase[];
  recordedAt: number;
  userId: number;
  shown: RecordedView;
};

/** What the screens show, as far as no release may lose it. */
export type RecordedView = {
  feed: { id: string; question: string; vote: 1 | 2 | null }[];
  /** The questions of the user's own polls; waiting ones first. */
  mine: string[];
  needsYou: RecordedOp[];
  waiting: RecordedOp[];
  points: { confirmed: number; pendingEarned: number; pendingSpent: number };
};

export type RecordedOp = { opId: string; type: OpType; entityId: string; state: OpState; pictures: number };

const FOLDER = join(import.meta.dirname, 'releases');

/** The engine of this commit. */
export const CURRENT: Release = { name: 'current', createEngine, fetchTransport };

/** A release candidate comes before its release. */
const orderOf = (name: string) => (name.includes('-') ? name : `${name}-zz`);

/** The versions that have fixtures, oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort((one, other) =>
  orderOf(one).localeCompare(orderOf(other), 'en', { numeric: true }),
);

/** The engine in a folder that `npm run release:fixtures` has written. */
export async function loadEngine(folder: string, name: string): Promise<Release> {
  const built: Omit<Release, 'name'> = await import(
    /* @vite-ignore */ pathToFileURL(join(folder, 'engine.js')).href
  );
  return { name, createEngine: built.createEngine, fetchTransport: built.fetchTransport };
}

/** The engines of the releases before this commit, oldest first. */
export function loadReleases(): Promise<Release[]> {
  return Promise.all(RELEASES.map((name) => loadEngine(join(FOLDER, name), name)));
}

/** The calls and answers of the last release's server. */
export function readServerRelease(): OpenApiDocument {
  const paths = RELEASES.map((name) => join(FOLDER, name, 'openapi.json')).filter(existsSync);
  return JSON.parse(readFileSync(paths.at(-1) ?? '', 'utf8'));
}

/** The databases that the engine of a release left on a device. */
export function readRecordedDevice(name: string): RecordedDevice {
  return fromJson<RecordedDevice>(readFileSync(join(FOLDER, name, 'database.json'), 'utf8'));
}
