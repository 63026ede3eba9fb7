import { readFile } from 'node:fs/promises';
import { S3mini } from 's3mini';
import { AppError } from '#api/errors.ts';
import { inBatches } from './durable-files.ts';
import type { ImageStorage, StagedFiles } from './image-storage.ts';
import type { OpenImage } from './open-image.ts';
import type { S3Settings } from './s3-variables.ts';
import { withinIdleTime } from './within-idle-time.ts';

const PREFIX = 'uploads/';
const LIST_PAGE_SIZE = 1_000;
const CONCURRENT_REMOVALS = 16;
const RETRY_AFTER_S = 5;
const UNEXPECTED_STATUSES = [206, 304, 412];
const LIST = /^\s*(?:<\?xml[^>]*>\s*)?<ListBucketResult[\s>]([\s\S]*)<\/ListBucketResult>\s*$/;
const IS_TRUNCATED = /<IsTruncated>(true|false)<\/IsTruncated>/;
const NEXT_PAGE = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/;
const NO_SUCH_OBJECT = /<Code>NoSuchKey<\/Code>/;

type Times = {
  /** The longest that a response, or the next bytes of a streamed image, may take. */
  timeoutMs: number;
  /**
   * Objects are readable before the transaction that publishes them commits, so an object that is younger than this counts as
   * unpublished. Publishing after more than half of this time fails. Clocks matter little: S3 rejects signatures when they differ
   * by more than 15 minutes.
   */
  unpublishedMaxMs: number;
};

const TIMES: Times = { timeoutMs: 10_000, unpublishedMaxMs: 24 * 3_600_000 };

/**
 * Stores images as objects of a bucket, below `uploads/`. Throws `unavailable` when the storage rejects a request, or takes
 * longer than ten seconds.
 */
export function createS3Storage(settings: S3Settings, times: Times = TIMES): ImageStorage {
  const { endpoint, bucket, ...access } = settings;
  const options = { ...access, endpoint: `${endpoint}/${bucket}` };
  const client = new S3mini({ ...options, requestAbortTimeout: times.timeoutMs, fetch: checkedFetch });
  const lists = new S3mini({ ...options, requestAbortTimeout: times.timeoutMs, fetch: fetchList });
  // Without `requestAbortTimeout`, which would include the time in which clients read.
  const streams = new S3mini({ ...options, fetch: (url, init) => fetchStream(url, init, times.timeoutMs) });
  const keyOf = (file: string) => `${PREFIX}${file}`;
  // A copy: a slice would keep the whole response with the list in memory.
  const fileOf = (key: string) => Buffer.from(key.slice(PREFIX.length)).toString();

  async function* listObjects() {
    let token: string | undefined;
    do {
      const page = await orUnavailable(lists.listObjectsPaged('/', PREFIX, LIST_PAGE_SIZE, token));
      if (!page) throw unavailable(new Error('The storage returned no list'));
      yield* page.objects ?? [];
      token = page.nextContinuationToken;
    } while (token !== undefined);
  }

  async function put(file: string, bytes: Buffer): Promise<void> {
    await orUnavailable(client.putObject(keyOf(file), bytes, 'image/webp'));
  }

  async function removeOne(file: string): Promise<void> {
    await orUnavailable(client.deleteObject(keyOf(file)));
  }

  const remove = (files: readonly string[]) => inBatches(files, removeOne, CONCURRENT_REMOVALS);

  async function open(file: string): Promise<OpenImage | null> {
    const response = await orUnavailable(streams.getObjectResponse(keyOf(file)));
    if (response === null) return null;
    const { body, headers } = response;
    const [bytes, etag] = [headers.get('content-length'), headers.get('etag')];
    if (body === null || bytes === null || etag === null) {
      await body?.cancel();
      throw unavailable(new Error('The storage returned an object without its size or its ETag'));
    }
    return {
      bytes: Number(bytes),
      etag,
      stream: () => withinIdleTime(body, times.timeoutMs),
      close: () => body.cancel(),
    };
  }

  return {
    stage(): StagedFiles {
      const files: string[] = [];
      const beganMs = performance.now();
      return {
        async add(file, content) {
          files.push(file);
          await put(file, typeof content === 'string' ? await readFile(content) : content);
        },
        async publish() {
          if (performance.now() - beganMs > times.unpublishedMaxMs / 2) {
            throw unavailable(new Error('The images were published too late'));
          }
        },
        // What cannot be removed is left to the sweep.
        discard: () => remove(files).catch(() => {}),
      };
    },

    open,

    async read(file) {
      const bytes = await orUnavailable(client.getObjectArrayBuffer(keyOf(file)));
      return bytes === null ? null : Buffer.from(bytes);
    },

    async exists(file) {
      if (await orUnavailable(client.objectExists(keyOf(file)))) return true;
      // The response to HEAD does not say what is missing: the object, or the whole bucket.
      const opened = await open(file);
      await opened?.close();
      return opened !== null;
    },

    replace: put,
    remove,

    async *list() {
      for await (const { Key } of listObjects()) yield fileOf(Key);
    },

    async *listPublished() {
      for await (const { Key, LastModified } of listObjects()) {
        if (Date.now() - LastModified.getTime() >= times.unpublishedMaxMs) yield fileOf(Key);
      }
    },

    async *sizes() {
      for await (const { Size } of listObjects()) yield Size;
    },
  };
}

/** Lists some objects, so that a wrong configuration is found before the first upload. Throws `unavailable`. */
export async function checkS3(settings: S3Settings): Promise<void> {
  for await (const _bytes of createS3Storage(settings).sizes()) return;
}

function orUnavailable<Result>(request: Promise<Result>): Promise<Result> {
  return request.catch((error: unknown) => {
    throw unavailable(error);
  });
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S, cause });
}

/**
 * Requests objects uncompressed, since their size would differ otherwise, and follows no redirect, which would send the signature
 * elsewhere. Throws for statuses that the S3 client would treat as a missing object, among them a 404 that is not about the
 * object, but about the bucket. (The response to HEAD has no body that says this; see `exists`.)
 */
const checkedFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, {
    ...init,
    headers: { ...(init?.headers as Record<string, string>), 'accept-encoding': 'identity' },
    redirect: 'error',
  });
  if (UNEXPECTED_STATUSES.includes(response.status)) await throwStatus(response);
  if (response.status !== 404 || init?.method === 'HEAD') return response;
  if (!NO_SUCH_OBJECT.test(await response.text())) await throwStatus(response);
  return new Response(null, { status: 404 });
};

async function throwStatus({ body, bodyUsed, status }: Response): Promise<never> {
  if (!bodyUsed) await body?.cancel();
  throw new Error(`The storage responded with ${status}`);
}

/**
 * Throws for a response that is no list or an incomplete one, since the S3 client would take it for an empty or a complete list;
 * and for a page that names itself as the next one, which the client would request forever.
 */
const fetchList: typeof fetch = async (url, init) => {
  const response = await checkedFetch(url, init);
  const text = await response.text();
  /** The text of the element: 'true' or 'false', or undefined if this is no list. */
  const truncated = IS_TRUNCATED.exec(LIST.exec(text)?.[1] ?? '')?.[1];
  const next = NEXT_PAGE.exec(text)?.[1];
  const isStuck = next === undefined || next === new URL(String(url)).searchParams.get('continuation-token');
  if (response.ok && (truncated === undefined || (truncated === 'true' && isStuck))) {
    throw new Error('The response of the storage is not a complete list');
  }
  return new Response(text, { status: response.status, headers: response.headers });
};

/** Resolves with a response when its headers have arrived, however long its body takes. */
async function fetchStream(
  ...[url, init, timeoutMs]: [...Parameters<typeof fetch>, number]
): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('The storage does not respond')), timeoutMs);
  try {
    const response = await checkedFetch(url, { ...init, signal: controller.signal });
    // The body of an error response is not read, since nothing would limit its time.
    if (!response.ok && response.status !== 404) await throwStatus(response);
    return response;
  } finally {
    clearTimeout(timer);
  }
}
