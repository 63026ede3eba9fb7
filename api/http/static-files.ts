import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { getPath } from 'hono/utils/url';
import { pageOf } from '#shared/service/rules.ts';
import { hashText, matchesEtag } from './etag.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';
/** File names in this folder contain a hash of the content. */
const HASHED_FOLDER = '/assets/';
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

type Variant = { body: Buffer<ArrayBuffer>; headers: Record<string, string>; etag: string };
type StaticFile = { plain: Variant; encoded: Partial<Record<(typeof ENCODINGS)[number]['name'], Variant>> };

/** Files by their path in the URL. */
type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * Reads the built app into memory, with the compressed variants (`.br`, `.gz`) of each file and the headers of their
 * responses. Null if the app was not built.
 */
export async function loadStaticFiles(folder: string): Promise<StaticFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const contents = new Map<string, Buffer<ArrayBuffer>>();
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    contents.set(`/${relative(folder, path).split(sep).join('/')}`, await readFile(path));
  }
  if (!contents.has('/index.html')) return null;

  const toVariant = (path: string, body: Buffer<ArrayBuffer>, encoding: string | null): Variant => {
    const etag = `"${hashText(body)}"`;
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
 * Responds with the app's files, and with one of its pages (`pageOf`) to every other path that a browser navigates to. Undefined
 * for requests that Hono has to handle. Called before Hono, since a response that no middleware waits for is much faster.
 */
export function staticFiles(files: StaticFiles): (request: Request) => Response | undefined {
  return (request) => {
    const { method, headers: requestHeaders } = request;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const file = findFile(files, request);
    if (file === undefined) return undefined;
    const { body, headers, etag } = chooseVariant(file, requestHeaders.get('Accept-Encoding') ?? '');
    if (matchesEtag(requestHeaders.get('If-None-Match') ?? undefined, etag))
      return new Response(null, { status: 304, headers });
    return new Response(method === 'HEAD' ? null : body, { headers });
  };
}

function findFile(files: StaticFiles, request: Request): StaticFile | undefined {
  const path = getPath(request);
  const exact = files.get(path);
  if (exact !== undefined) return exact;
  const isServerPath = /^\/(?:(?:api|uploads|metrics|ws|\.well-known)(?:\/|$)|s\/)/.test(path);
  if (isServerPath) return undefined;
  const isPage = extname(path) === '' || (request.headers.get('Accept') ?? '').includes('text/html');
  return isPage ? files.get(`/${pageOf(new URL(request.url))}.html`) : undefined;
}

function chooseVariant(file: StaticFile, accepted: string): Variant {
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
