import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { createMiddleware } from 'hono/factory';
import { getMimeType } from 'hono/utils/mime';
import { pageOf } from '#shared/service/rules.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { matchesEtag } from './etag.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';
/** File names in this folder contain a hash of the content. */
const HASHED_FOLDER = '/assets/';
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

type Variant = { body: Uint8Array<ArrayBuffer>; headers: Record<string, string>; etag: string };
type StaticFile = { plain: Variant; encoded: Partial<Record<(typeof ENCODINGS)[number]['name'], Variant>> };

/** Files by their path in the URL. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * Reads the built client into memory, with the compressed variants (`.br`, `.gz`) of each file and the headers of their
 * responses. Null if the client was not built.
 */
export async function loadStaticFiles(folder: string): Promise<StaticFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    contents.set(`/${relative(folder, path).split(sep).join('/')}`, Uint8Array.from(await readFile(path)));
  }
  if (!contents.has('/index.html')) return null;

  const toVariant = (path: string, body: Uint8Array<ArrayBuffer>, encoding: string | null): Variant => {
    const etag = `"${hash('sha1', body, 'base64url')}"`;
    const headers: Record<string, string> = {
      'Content-Type': contentType(path),
      'Cache-Control': path.startsWith(HASHED_FOLDER) ? IMMUTABLE : REVALIDATE,
      Vary: 'Accept-Encoding',
      ETag: etag,
      ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
    };
    return { body, headers, etag };
  };
  const files = new Map<string, StaticFile>();
  for (const [path, body] of contents) {
    const isCompressed = ENCODINGS.some(
      ({ extension }) => path.endsWith(extension) && contents.has(path.slice(0, -extension.length)),
    );
    if (isCompressed) continue;
    // The server inserts a poll into templates before it sends them.
    if (path.endsWith('.template')) continue;
    const encoded: StaticFile['encoded'] = {};
    for (const { name, extension } of ENCODINGS) {
      const compressed = contents.get(path + extension);
      if (compressed !== undefined) encoded[name] = toVariant(path, compressed, name);
    }
    files.set(path, { plain: toVariant(path, body, null), encoded });
  }
  return files;
}

function contentType(path: string): string {
  if (extname(path) === '.webmanifest') return 'application/manifest+json';
  return getMimeType(path) ?? 'application/octet-stream';
}

/**
 * Serves the client's files, and its page (`pageOf`) for every other path that a browser navigates to. Runs before all other
 * middleware: a response whose headers nothing changes is several times faster.
 */
export function staticFiles(files: StaticFiles) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    const file = isRead ? findFile(files, c) : undefined;
    if (file === undefined) return next();
    const { body, headers, etag } = chooseVariant(c, file);
    // Not `c.body`, which would copy the headers.
    return matchesEtag(c.req.header('If-None-Match'), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(body, { headers });
  });
}

function findFile(files: StaticFiles, c: AppContext): StaticFile | undefined {
  const { path } = c.req;
  const exact = files.get(path);
  if (exact !== undefined) return exact;
  const isServerPath = /^\/(?:(?:api|uploads|metrics|ws)(?:\/|$)|s\/)/.test(path);
  const isPage = extname(path) === '' || (c.req.header('Accept') ?? '').includes('text/html');
  return !isServerPath && isPage ? files.get(`/${pageOf(new URL(c.req.url))}.html`) : undefined;
}

function chooseVariant(c: AppContext, file: StaticFile): Variant {
  const accepted = c.req.header('Accept-Encoding') ?? '';
  const encoding = ENCODINGS.find(({ name }) => file.encoded[name] && accepts(accepted, name));
  return (encoding && file.encoded[encoding.name]) ?? file.plain;
}

/** Whether an `Accept-Encoding` header accepts `encoding`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', weight] = part.split(';').map((text) => text.trim());
    return name.toLowerCase() === encoding && !/^q=0(\.0*)?$/i.test(weight ?? '');
  });
}
