import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import { type QueryValues, withQuery } from './http.ts';

/** What a call answers when it goes well: a schema is JSON, a media type anything else, null nothing. */
type Answer = { description: string; content: z.ZodMiniType | string | null };

/** One call of the API, defined once for the server, the clients and the documentation. */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each parameter. */
  path: `/${string}`;
  summary: string;
  /** Who may call it; `public` calls are answered before anything is asked of sessions and limits. */
  access: 'public' | 'anyone' | 'user' | 'admin';
  /** Of the parameters in the path; what it refuses is not found. */
  params?: z.ZodMiniType;
  query?: z.ZodMiniType;
  json?: z.ZodMiniType;
  /** The text fields and the files of a multipart form. */
  form?: { fields: z.ZodMiniType; files: readonly string[]; areFilesRepeated?: boolean };
  /** Takes `Idempotency-Key`, `X-Expected-User` and `X-Expected-Epoch`. */
  isKeyed?: boolean;
  /** Takes `Prefer`. */
  isJob?: boolean;
  answers: Readonly<Record<number, Answer>>;
  /** The error codes of this call; those that follow from the rest are in `errorsOf`. */
  errors?: readonly ErrorCode[];
};

type SchemaOf<C extends Call, Status extends keyof C['answers']> = C['answers'][Status] extends {
  content: infer Content extends z.ZodMiniType;
}
  ? Content
  : never;

/** The JSON that a call answers, of one status or of all. */
export type AnswerOf<C extends Call, Status extends keyof C['answers'] = keyof C['answers']> = {
  [Each in Status]: z.output<SchemaOf<C, Each>>;
}[Status];

/** The schema of what a call answers, of the first of its statuses unless another one is named. */
export function answerSchema<C extends Call, Status extends keyof C['answers']>(call: C, status?: Status) {
  const { answers } = call as Call;
  const answer = status === undefined ? Object.values(answers)[0] : answers[Number(status)];
  return answer?.content as z.ZodMiniType<AnswerOf<C, Status>>;
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** What stands for `{name}` in a path. */
export type ParamsOf<Path extends string, Value = string> = Readonly<Record<ParamNames<Path>, Value>>;

/** What a client puts into the address of a call. */
export type AddressOf<C extends Call> = (keyof ParamsOf<C['path']> extends never
  ? unknown
  : { params: ParamsOf<C['path'], string | number> }) &
  (C extends { query: infer Query extends z.ZodMiniType }
    ? { query?: { readonly [Name in keyof z.input<Query>]?: QueryValues[string] } }
    : unknown);

/** The path of a call, with its parameters and its query filled in. */
export function pathOf<C extends Call>({ path }: C, address: AddressOf<C>): string {
  const { params = {}, query = {} } = address as { params?: QueryValues; query?: QueryValues };
  return withQuery(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name]))),
    query,
  );
}

/** Every error code that a call can answer. */
export function errorsOf({ method, access, params, query, json, form, isKeyed, errors = [] }: Call) {
  const codes: ErrorCode[] = [...errors];
  if (params) codes.push('not_found');
  if (query || json || form) codes.push('invalid_input');
  if (json || form) codes.push('unsupported_type', 'too_large');
  if (form) codes.push('undecodable', 'busy');
  if (isKeyed) codes.push('invalid_key', 'key_reused', 'in_flight');
  if (access === 'user' || access === 'admin') codes.push('unauthenticated');
  if (access === 'admin') codes.push('not_admin');
  if (method !== 'GET') codes.push('bad_origin');
  if (access !== 'public') codes.push('rate_limited', 'actor_mismatch', 'unavailable');
  return new Set<ErrorCode>([...codes, 'internal']);
}
