import type { ServerResponse } from 'node:http';
import { AppError } from '#api/errors.ts';
import type { AppContext } from '#api/http/app-env.ts';
import { networksOf } from '#api/http/client-address.ts';
import { matchesEtag } from '#api/http/etag.ts';
import { createSlots } from '#api/http/limits/slots.ts';
import type { OpenImage } from '#api/storage/open-image.ts';

/**
 * How many images are sent at once, in total and to one network. Further requests wait. A slot is held until the response is sent
 * or its connection is closed.
 */
const SLOTS = { total: 256, perKey: 32 };

export type ImageSender = ReturnType<typeof createImageSender>;

type Options = { type: string; maxAgeMs: number; headers?: Readonly<Record<string, string>> };

/** Creates a sender that streams images. All its responses share the same slots. */
export function createImageSender() {
  const slots = createSlots(SLOTS);

  /** Responds with the image that `open` returns, which is called once a slot is free. Throws `not_found`. */
  return async (
    c: AppContext,
    { type, maxAgeMs, headers = {} }: Options,
    open: () => Promise<OpenImage | null>,
  ): Promise<Response> => {
    const outgoing = c.env?.outgoing;
    const widestNetwork = networksOf(c.var.client).at(-1) ?? c.var.client;
    if (outgoing && !(await slots.hold(widestNetwork, signalOfClose(outgoing)))) return clientClosedRequest();
    const image = await open();
    if (image === null) throw new AppError('not_found');
    const cacheHeaders = {
      ...headers,
      ETag: image.etag,
      'Cache-Control': `public, max-age=${maxAgeMs / 1_000}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    };
    const isKnown = matchesEtag(c.req.header('If-None-Match'), image.etag);
    const allHeaders = {
      ...cacheHeaders,
      'Content-Type': type,
      'Content-Length': String(image.bytes),
    };
    if (!isKnown && c.req.method !== 'HEAD') return c.body(image.stream(), 200, allHeaders);
    await image.close();
    return isKnown ? c.body(null, 304, cacheHeaders) : c.body(null, 200, allHeaders);
  };
}

/** Aborts when the last byte of a response has left the process, or its connection is closed. */
function signalOfClose(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once('close', () => controller.abort());
  if (outgoing.closed) controller.abort();
  return controller.signal;
}

/** For a client that has disconnected: only the log shows this response. */
const clientClosedRequest = () => new Response(null, { status: 499 });
