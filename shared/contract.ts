import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import { type QueryParams, withQuery } from './query.ts';

/** A successful response. `content`: the schema of a JSON body, the media type of any other body, or null without a body. */
type ResponseDefinition = { description: string; content: z.ZodMiniType | string | null };

/**
 * The definition of an API call, shared by the server, the clients and the OpenAPI document. For clients, the build reduces it
 * to `method`, `path`, and `responses` without descriptions (scripts/run/strip-contract.ts).
 */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path template with `{name}` for each path parameter. */
  path: `/${string}`;
  summary: string;
  /** Who may call it. `public` calls skip sessions and the limits of other calls (see `isRateLimited`). */
  access: 'public' | 'anyone' | 'user' | 'admin';
  /** Schema of the path parameters; invalid parameters lead to `not_found`. */
  params?: z.ZodMiniType;
  query?: z.ZodMiniType;
  json?: z.ZodMiniType;
  /** Text fields and file fields of a multipart form. `areFilesRepeated`: each file field can have several files. */
  form?: { fields: z.ZodMiniType; files: readonly string[]; areFilesRepeated?: boolean };
  /** Accepts the header `Idempotency-Key`. The outcome is stored under the key, and a repeated call gets it again. */
  acceptsKey?: boolean;
  /** Hashes a password or recovery codes. Such calls are queued; if the queue is full, the response is `busy`. */
  hashesPassword?: boolean;
  /** A public call with a rate limit per client address. */
  isRateLimited?: boolean;
  /** The name of the event that the server logs for each request (docs/operating.md). */
  securityEvent?: string;
  /** Accepts the header `Prefer: respond-async`. */
  canRespondAsync?: boolean;
  responses: Readonly<Record<number, ResponseDefinition>>;
  /** Error codes specific to this call; `errorCodesOf` adds those that follow from the other fields. */
  errors?: readonly ErrorCode[];
};

type SchemaOf<C extends Call, Status extends keyof C['responses']> = C['responses'][Status] extends {
  content: infer Content extends z.ZodMiniType;
}
  ? Content
  : never;

/** Type of the JSON body of a call's response, for one status or for all. */
export type ResponseOf<C extends Call, Status extends keyof C['responses'] = keyof C['responses']> = {
  [Each in Status]: z.output<SchemaOf<C, Each>>;
}[Status];

/** Schema of the JSON body of a call's response, by default for its lowest status; null for a response without a body. */
export function responseSchema<C extends Call, Status extends keyof C['responses']>(
  call: C,
  status?: Status,
) {
  const { responses } = call as Call;
  const response = status === undefined ? Object.values(responses)[0] : responses[Number(status)];
  return response?.content as z.ZodMiniType<ResponseOf<C, Status>>;
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

export type PathParamsOf<Path extends string, Value = string> = Readonly<Record<ParamNames<Path>, Value>>;

/** The path and query parameters of a call, as a client passes them. */
export type UrlParamsOf<C extends Call> = (keyof PathParamsOf<C['path']> extends never
  ? unknown
  : { params: PathParamsOf<C['path'], string | number> }) &
  (C extends { query: infer Query extends z.ZodMiniType }
    ? { query?: { readonly [Name in keyof z.input<Query>]?: QueryParams[string] } }
    : unknown);

/** Builds the path of a call with path parameters and query string. */
export function buildPath<C extends Call>({ path }: C, urlParams: UrlParamsOf<C>): string {
  const { params = {}, query = {} } = urlParams as { params?: QueryParams; query?: QueryParams };
  return withQuery(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name]))),
    query,
  );
}

/** All error codes that a call can respond with. */
export function errorCodesOf(call: Call) {
  const { method, access, params, query, json, form, acceptsKey, hashesPassword, isRateLimited } = call;
  const codes: ErrorCode[] = [...(call.errors ?? [])];
  if (params) codes.push('not_found');
  if (query || json || form) codes.push('invalid_input');
  if (json || form) codes.push('unsupported_type', 'too_large');
  if (form) codes.push('undecodable', 'busy');
  if (hashesPassword) codes.push('busy');
  if (acceptsKey) codes.push('invalid_key', 'key_reused', 'in_flight');
  if (access === 'user' || access === 'admin') codes.push('unauthenticated');
  if (access === 'admin') codes.push('not_admin', 'passkey_needed');
  if (method !== 'GET') codes.push('bad_origin');
  if (isRateLimited) codes.push('rate_limited');
  if (access !== 'public') codes.push('rate_limited', 'actor_mismatch', 'unavailable');
  return new Set<ErrorCode>([...codes, 'internal']);
}
