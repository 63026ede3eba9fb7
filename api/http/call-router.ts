import { Hono } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import type * as z from 'zod/mini';
import { AppError } from '#api/errors.ts';
import type { Call, PathParamsOf, ResponseOf } from '#shared/contract.ts';
import { IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema } from '#shared/http.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { toAppError } from './error-mapping.ts';
import { type JsonText, jsonWithEtag } from './etag.ts';
import type { Limit } from './limits/limits.ts';
import { reportCall } from './logging/security-events.ts';
import { parseInput, readJson } from './read-input.ts';
import { requireUser } from './session/session.ts';
import type { UserRow } from './session/session-user.ts';

type Parsed<C extends Call, Part extends 'params' | 'query' | 'json', Absent = undefined> =
  C extends Record<Part, infer Schema extends z.ZodMiniType> ? z.output<Schema> : Absent;

/** The parsed parts of a request. Handlers read forms themselves, after their own checks. */
type CallRequest<C extends Call> = {
  c: AppContext;
  user: C['access'] extends 'user' | 'admin' ? UserRow : UserRow | null;
  /** The Idempotency-Key, null if there is none. */
  key: string | null;
  params: Parsed<C, 'params', PathParamsOf<C['path']>>;
  query: Parsed<C, 'query'>;
  json: Parsed<C, 'json'>;
};

/** The return value of a handler: the JSON of the response, or the whole response of a call that does not return JSON. */
type Result<C extends Call> = [ResponseOf<C>] extends [never]
  ? Response
  : ResponseOf<C> | JsonText<ResponseOf<C>>;

type Handler<C extends Call> = (request: CallRequest<C>) => Result<C> | Promise<Result<C>>;

/** A router for calls of the contract, mounted at the first segment of their paths. */
export class CallRouter extends Hono<AppEnv> {
  /**
   * Registers `handle` as the handler of `call`. Its result is sent with the first status of the call's responses, unless it sets
   * another one. Before it runs, these are checked in this order: session, key, query, body, path. Throws `unauthenticated`,
   * `invalid_key`, `invalid_input`, `unsupported_type`, `too_large` or `not_found`.
   */
  answer<C extends Call>(call: C, handle: Handler<C>): this {
    return this.answerWithin(null, call, handle);
  }

  /**
   * Like `answer`, and counts the call against `limit` by client, after the key was checked. Also throws `rate_limited`.
   */
  answerWithin<C extends Call>(limit: Limit | null, call: C, handle: Handler<C>): this {
    const path = call.path.replace(/^\/[^/]+/, '').replaceAll(/\{(\w+)\}/g, ':$1');
    const status = Number(Object.keys(call.responses)[0]) as StatusCode;
    const isForUsers = call.access === 'user' || call.access === 'admin';
    this.on(call.method, path, async (c) => {
      c.set('call', call);
      let json: unknown;
      let result: Result<C>;
      try {
        const user = isForUsers ? requireUser(c) : c.get('user');
        const key = call.acceptsKey ? readKey(c) : null;
        if (limit !== null) await limit.take(c.get('client'));
        const query = call.query && parseInput(call.query, c.req.query());
        json = call.json && (await readJson(c, call.json));
        const params = readParams(call, c);
        c.status(status);
        result = await handle({ c, user, key, query, json, params } as CallRequest<C>);
      } catch (error) {
        reportCall(c, call, toAppError(error).code, json);
        throw error;
      }
      reportCall(c, call, 'ok', json);
      if (result instanceof Response) return result;
      return 304 in call.responses ? jsonWithEtag(c, result) : c.json(result);
    });
    return this;
  }
}

function readKey(c: AppContext): string | null {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined) return null;
  if (!idempotencyKeySchema.safeParse(key).success) throw new AppError('invalid_key');
  return key;
}

function readParams({ params }: Call, c: AppContext): unknown {
  if (params === undefined) return c.req.param();
  const parsed = params.safeParse(c.req.param());
  if (parsed.success) return parsed.data;
  throw new AppError('not_found', { message: parsed.error.issues[0]?.message ?? 'Not found.' });
}
