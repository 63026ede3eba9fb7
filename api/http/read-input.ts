import type * as z from 'zod/mini';
import { withTimeout } from '#api/db/with-timeout.ts';
import { AppError } from '#api/errors.ts';
import type { AppContext } from './app-env.ts';

const JSON_MAX_BYTES = 100 * 1024;
const JSON_BODY_TIMEOUT_MS = 30_000;

/** Parses `value`. Throws `invalid_input` (400) with all issues and the message of the first. */
export function parseInput<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw invalidInput(issues);
}

/** Parses a JSON body. Throws `unsupported_type` (415), `too_large` (413) or `invalid_input` (400). */
export async function readJson<Schema extends z.ZodMiniType>(
  c: AppContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const type = c.req.header('Content-Type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new AppError('unsupported_type', { message: 'Send this as application/json.' });
  }
  const text = await readText(c);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidInput([{ path: '', message: 'The body is not valid JSON.' }]);
  }
  return parseInput(schema, value);
}

/** Waits 30 seconds at most. Throws `too_large` as soon as the body exceeds its limit. */
async function readText(c: AppContext): Promise<string> {
  const { raw } = c.req;
  const length = c.req.header('Content-Length');
  if (Number(length ?? 0) > JSON_MAX_BYTES) throw tooLarge();
  // Node ends a body at its Content-Length, which was checked. Reading it as a stream would take longer than all other work for a
  // vote.
  const text = length === undefined ? readStream(raw.body) : raw.text();
  const tooSlow = () => invalidInput([{ path: '', message: 'The body took too long to arrive.' }]);
  try {
    return await withTimeout(JSON_BODY_TIMEOUT_MS, text, tooSlow);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('invalid_input', { message: 'The body did not arrive.', cause });
  }
}

async function readStream(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > JSON_MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function tooLarge(): AppError {
  return new AppError('too_large', { message: 'The body is larger than 100 kB.' });
}

function invalidInput(issues: { path: string; message: string }[]): AppError {
  return new AppError('invalid_input', { issues, ...(issues[0] && { message: issues[0].message }) });
}
