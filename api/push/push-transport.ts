import { createECDH } from 'node:crypto';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import ece from 'http_ece';
import { createResolve, isPushEndpoint, pinnedLookup, type Resolve } from './push-endpoint.ts';
import { type VapidKeys, vapidHeader } from './vapid.ts';

/** Shorter than the lease of a message, and longer than the time after which the next name server is asked. */
const SEND_TIMEOUT_MS = 10_000;
/** How long the push service keeps a message for a device that is offline. */
const MESSAGE_TTL_S = 86_400;
const RETRY_AFTER_MAX_S = 3_600;

/** The endpoint of a browser, and the keys with which messages are encrypted for it (base64url). */
export type PushTarget = { endpoint: string; p256dh: string; auth: string };

/** Thrown when an attempt to send a message has failed, or its outcome is unknown. */
export class PushError extends Error {
  /**
   * `temporary`: another attempt may succeed; `timeout`: no response came in time, and perhaps none ever will; `permanent`: no
   * attempt can succeed; `unsubscribed`: the subscription no longer exists.
   */
  readonly kind: 'temporary' | 'timeout' | 'permanent' | 'unsubscribed';
  /** The delay that the push service demands, in seconds; 0 if none. */
  readonly retryAfterS: number;

  constructor(
    message: string,
    kind: PushError['kind'],
    options: ErrorOptions & { retryAfterS?: number } = {},
  ) {
    super(message, options);
    this.name = 'PushError';
    this.kind = kind;
    this.retryAfterS = options.retryAfterS ?? 0;
  }
}

type PushSenderOptions = {
  keys: VapidKeys;
  /** How push services can reach the operator: a mailto or https URL. */
  subject: string;
  /** The origin of a test's push service, to which the checks of endpoints do not apply. */
  testOrigin: string | null;
  /** Resolves host names; by default with the name servers of this machine. */
  resolve?: Resolve;
};

export type PushSender = ReturnType<typeof createPushSender>;

/**
 * Creates the sender of messages to push services. As endpoints come from clients, SSRF is prevented: requests go to public
 * addresses by https only, redirects are not followed, and the body of a response is not read.
 */
export function createPushSender({
  keys,
  subject,
  testOrigin,
  resolve = createResolve(),
}: PushSenderOptions) {
  async function lookupFor(url: URL, signal: AbortSignal): Promise<LookupFunction | null> {
    if (url.origin === testOrigin) return null;
    if (!isPushEndpoint(url.href, null)) throw new PushError('This endpoint is not allowed', 'permanent');
    // So that an aborted lookup fails with the signal's reason, not with an error of the resolver.
    const aborted = once(signal, 'abort').then(() => {
      throw signal.reason;
    });
    const lookup = await Promise.race([pinnedLookup(url, resolve, signal), aborted]);
    if (lookup === null) throw new PushError('The endpoint has no public address', 'permanent');
    return lookup;
  }

  function post(url: URL, lookup: LookupFunction | null, body: Buffer, topic: string, signal: AbortSignal) {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise<{ status: number; retryAfter: string }>((fulfil, reject) => {
      const sent = request(url, {
        method: 'POST',
        agent: false,
        signal,
        headers: {
          Authorization: vapidHeader(keys, subject, url),
          'Content-Encoding': 'aes128gcm',
          'Content-Type': 'application/octet-stream',
          'Content-Length': body.length,
          TTL: MESSAGE_TTL_S,
          // If two copies of a message wait for a device, the push service keeps only one.
          Topic: topic,
          Urgency: 'normal',
        },
        ...(lookup !== null && { lookup }),
      });
      sent.on('error', reject);
      // After a response with status 101 (a change of protocol) Node emits neither `response` nor `error`.
      sent.on('close', () => reject(new Error('No response')));
      sent.on('response', (response) => {
        fulfil({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? '' });
        response.destroy();
      });
      sent.end(body);
    });
  }

  return {
    /**
     * Makes one attempt to send `text`. Throws `PushError`. `topic`: up to 32 letters and digits, the same for each attempt.
     * `stopSignal` aborts the attempt.
     */
    async send(target: PushTarget, text: string, topic: string, stopSignal: AbortSignal): Promise<void> {
      const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
      const signal = AbortSignal.any([stopSignal, timeout]);
      const url = new URL(target.endpoint);
      const response = await lookupFor(url, signal)
        .then((lookup) => post(url, lookup, encrypt(text, target), topic, signal))
        .catch((cause: unknown) => {
          if (cause instanceof PushError) throw cause;
          // No name server has answered.
          const isDnsTimeout = codeOf(cause) === 'ETIMEOUT';
          const kind = timeout.aborted || isDnsTimeout ? 'timeout' : 'temporary';
          throw new PushError(`The push service could not be reached: ${codeOf(cause)}`, kind, { cause });
        });
      const error = errorOf(response);
      if (error !== null) throw error;
    },
  };
}

/** Encrypts a message for a browser (RFC 8291). */
function encrypt(text: string, { p256dh, auth }: PushTarget): Buffer {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  return ece.encrypt(Buffer.from(text), { version: 'aes128gcm', dh: p256dh, privateKey, authSecret: auth });
}

function errorOf({ status, retryAfter }: { status: number; retryAfter: string }): PushError | null {
  if (status >= 200 && status < 300) return null;
  const message = `The push service answered ${status}`;
  if (status === 404 || status === 410) return new PushError(message, 'unsubscribed');
  if (status !== 408 && status !== 429 && status < 500) return new PushError(message, 'permanent');
  const retryAfterS = Math.min(RETRY_AFTER_MAX_S, /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0);
  return new PushError(message, 'temporary', { retryAfterS });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The code of a `DOMException`, such as a timeout, is only a number.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
