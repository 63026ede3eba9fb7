import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { S3Settings } from '#api/storage/s3-variables.ts';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';

const CLOCK_SKEW_MAX_MS = 15 * 60_000;
const SIGNED_AT_LEAST = ['host', 'x-amz-content-sha256', 'x-amz-date'];

type StoredObject = { bytes: Buffer; modifiedMs: number };

/**
 * A fault to simulate.
 * - `rejects requests`: every request gets status 503
 * - `never ends an error response`: every request gets status 503 with a body that never ends
 * - `hangs`: no request gets a response
 * - `sends partial content`: objects are served with status 206
 * - `stalls`: half of an object is sent, then nothing
 * - `breaks off responses`: half of an object is sent, then the connection is closed
 */
type Fault =
  | 'rejects requests'
  | 'never ends an error response'
  | 'hangs'
  | 'sends partial content'
  | 'stalls'
  | 'breaks off responses';

export type S3Server = {
  settings: S3Settings;
  /** The stored objects, by key. */
  objects: Map<string, StoredObject>;
  fault: Fault | null;
  /** If not null, the response to every request for a list. */
  listResponse: string | null;
  close(): Promise<void>;
};

/** Objects that are also files in `folder`, so that they outlive the process. */
class StoredObjects extends Map<string, StoredObject> {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
    for (const name of readdirSync(folder)) {
      // This file was being written when the process was killed.
      if (name.endsWith('~')) continue;
      const file = join(folder, name);
      const stored = { bytes: readFileSync(file), modifiedMs: statSync(file).mtimeMs };
      super.set(decodeURIComponent(name), stored);
    }
  }

  override set(key: string, stored: StoredObject): this {
    const file = join(this.#folder, encodeURIComponent(key));
    writeFileSync(`${file}~`, stored.bytes);
    renameSync(`${file}~`, file);
    return super.set(key, stored);
  }

  override delete(key: string): boolean {
    rmSync(join(this.#folder, encodeURIComponent(key)), { force: true });
    return super.delete(key);
  }
}

/**
 * Starts a server with the part of S3 that the app uses, with one bucket, in memory or, to outlive a restart, in `folder`. Checks
 * signatures as the documentation of AWS Signature Version 4 describes them.
 */
export async function startS3Server({
  port,
  folder,
}: {
  port?: number;
  folder?: string;
} = {}): Promise<S3Server> {
  const objects = folder === undefined ? new Map<string, StoredObject>() : new StoredObjects(folder);
  const http = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const server: S3Server = {
    settings: {
      endpoint: `http://127.0.0.1:${await listenLocally(http, port)}`,
      bucket: 'polls',
      region: 'eu-test-1',
      accessKeyId: 'access-key',
      secretAccessKey: 'secret/key+1',
    },
    objects,
    fault: null,
    listResponse: null,
    close: () => closeServer(http),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', server.settings.endpoint);
    const body = await buffer(request);
    if (server.fault === 'hangs') return;
    if (server.fault === 'rejects requests') return fail(response, 503, 'SlowDown');
    if (server.fault === 'never ends an error response') return void response.writeHead(503).write('<Error>');
    if (!isSigned(request, url, server.settings)) return fail(response, 403, 'SignatureDoesNotMatch');
    const [, bucket, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (bucket !== server.settings.bucket) return fail(response, 404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key === '') return void response.end(server.listResponse ?? list(url.searchParams));
    if (request.method === 'PUT') {
      objects.set(key, { bytes: body, modifiedMs: Date.now() });
      return void response.setHeader('ETag', etagOf(body)).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    const object = objects.get(key);
    if (object === undefined) return fail(response, 404, 'NoSuchKey');
    if (server.fault === 'sends partial content') response.statusCode = 206;
    response.setHeader('Content-Length', object.bytes.length).setHeader('ETag', etagOf(object.bytes));
    if (request.method === 'HEAD') return void response.end();
    if (server.fault === null || server.fault === 'sends partial content')
      return void response.end(object.bytes);
    const breaksOff = server.fault === 'breaks off responses';
    response.write(object.bytes.subarray(0, object.bytes.length / 2), () => {
      if (breaksOff) response.destroy();
    });
  }

  function list(query: URLSearchParams): string {
    const max = Number(query.get('max-keys') ?? 1_000);
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort();
    const page = keys.slice(0, max);
    const contents = page.map((key) => {
      const { bytes, modifiedMs } = objects.get(key) ?? { bytes: Buffer.alloc(0), modifiedMs: 0 };
      const modified = new Date(modifiedMs).toISOString();
      return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${modified}</LastModified></Contents>`;
    });
    const isTruncated = keys.length > page.length;
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
  }

  return server;
}

function fail(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

const hex = (bytes: Buffer) => bytes.toString('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => hex(createHash('sha256').update(text).digest());
const etagOf = (bytes: Buffer) => `"${hex(createHash('md5').update(bytes).digest())}"`;
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function isSigned({ method, headers }: IncomingMessage, url: URL, settings: S3Settings): boolean {
  const pattern = /^AWS4-HMAC-SHA256 Credential=(.+?), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;
  const [, credential, signed = '', signature] = pattern.exec(headers.authorization ?? '') ?? [];
  const names = signed.split(';');
  const time = String(headers['x-amz-date']);
  const sentMs = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  const scope = `${time.slice(0, 8)}/${settings.region}/s3/aws4_request`;
  if (!(Math.abs(Date.now() - sentMs) <= CLOCK_SKEW_MAX_MS)) return false;
  if (credential !== `${settings.accessKeyId}/${scope}`) return false;
  if (!SIGNED_AT_LEAST.every((name) => names.includes(name))) return false;
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, url.pathname, query.join('&'), lines, signed, headers['x-amz-content-sha256']];
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical.join('\n'))}`;
  // Each part of the scope is signed with the key that the parts before it have resulted in.
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${settings.secretAccessKey}`);
  return hex(hmac(key, toSign)) === signature;
}
