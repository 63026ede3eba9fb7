import * as z from 'zod/mini';
import { buildPath, type Call, type ResponseOf, responseSchema, type UrlParamsOf } from '#shared/contract.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { EXPECTED_USER_HEADER } from '#shared/http.ts';
import { ApiError, UnreachableError } from './api-error.ts';

const TIMEOUT_MS = 15_000;

type RawResponse = Pick<Response, 'ok' | 'status' | 'statusText'> & { text: string };

/** Parses a response to `call` with the schema of `expectedStatus`. Throws `ApiError` or `UnreachableError`. */
export function parseResponse<C extends Call, Status extends keyof C['responses'] = keyof C['responses']>(
  call: C,
  { ok, status, statusText, text }: RawResponse,
  expectedStatus?: Status,
): ResponseOf<C, Status> {
  const body = parseJson(text);
  if (!ok) {
    const error = z.safeParse(errorBodySchema, body);
    throw new ApiError(status, text || statusText, error.success ? error.data : null);
  }
  const schema: z.ZodMiniType<ResponseOf<C, Status>> | null = responseSchema(call, expectedStatus);
  if (schema === null) {
    // The call is answered without a body (204), but a captive portal sends a page.
    if (text !== '') throw new UnreachableError(`The response to ${call.path} has a body`);
    return undefined as ResponseOf<C, Status>;
  }
  const parsed = z.safeParse(schema, body);
  if (!parsed.success) throw new UnreachableError(`The response to ${call.path} does not match its schema`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Options<C extends Call, Status> = UrlParamsOf<C> &
  (C extends { json: infer Json extends z.ZodMiniType } ? { json: z.input<Json> } : unknown) & {
    /** The expected status; by default the first status of the call. */
    status?: Status;
    headers?: Readonly<Record<string, string>>;
    /** The server rejects the call if another user has logged in meanwhile. */
    userId?: number;
    signal?: AbortSignal;
    /** 15 s by default. */
    timeoutMs?: number;
  };

/** Sends a call directly, without the outbox. Throws `ApiError` or `UnreachableError`. */
export async function request<C extends Call, Status extends keyof C['responses'] = keyof C['responses']>(
  call: C,
  options: Options<C, Status>,
): Promise<ResponseOf<C, Status>> {
  const { headers, userId, signal, timeoutMs = TIMEOUT_MS } = options;
  const { json = {} } = options as { json?: unknown };
  const timeout = AbortSignal.timeout(timeoutMs);
  const hasBody = call.method !== 'GET' && call.method !== 'DELETE';
  const response = await fetch(buildPath(call, options), {
    method: call.method,
    headers: {
      ...headers,
      ...(hasBody && { 'Content-Type': 'application/json' }),
      ...(userId !== undefined && { [EXPECTED_USER_HEADER]: String(userId) }),
    },
    body: hasBody ? JSON.stringify(json) : null,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((cause: unknown) => {
    throw new UnreachableError('The server could not be reached', { cause });
  });
  const { ok, status, statusText } = response;
  const text = await response.text().catch(() => '');
  return parseResponse(call, { ok, status, statusText, text }, options.status);
}
