import type { Database } from '#api/db/client.ts';
import { pollForm } from '#api/testing/poll-factory.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';

export type TestUser = { userId: number; cookie: string };

export type ApiResponse = { status: number; headers: Headers; text: string; code: string | null };

/** The request for a change. Each attempt has the same idempotency key. */
export type Change = { user: TestUser; key: string; path: string; body: ArrayBuffer; contentType: string };

/** Statuses that are not an outcome of the change, so that responses to one key may differ. */
const TRANSIENT_STATUSES = new Set([400, 401, 408, 413, 415, 422, 429]);
const isTransient = ({ status, code }: ApiResponse) =>
  TRANSIENT_STATUSES.has(status) || status >= 500 || code === 'in_flight' || code === 'actor_mismatch';

/** Records the responses to keyed changes. */
export class ResponseLog {
  readonly #responses = new Map<string, Set<string>>();

  record({ user, key }: Change, response: ApiResponse): void {
    if (isTransient(response)) return;
    const id = `${user.userId} ${key}`;
    const outcomes = this.#responses.get(id) ?? new Set();
    this.#responses.set(id, outcomes.add(`${response.status} ${response.code ?? ''}`.trim()));
  }

  /** Violations: keys with different responses. */
  differences(): string[] {
    return [...this.#responses]
      .filter(([, outcomes]) => outcomes.size > 1)
      .map(([key, outcomes]) => `the responses to ${key} differ: ${[...outcomes].join()}`);
  }

  /** Violations: acknowledged changes without a receipt, and receipts with another outcome. Refusals need no receipt. */
  async lostReceipts(db: Database): Promise<string[]> {
    const rows = await db.sql<{ id: string; outcome: string }[]>`
      select user_id || ' ' || key as id, status || coalesce(' ' || code, '') as outcome from mutation_receipts`;
    const stored = new Map(rows.map(({ id, outcome }) => [id, outcome]));
    return [...this.#responses].flatMap(([id, outcomes]) => {
      // PostgreSQL stores keys as UUIDs in lower case.
      const receipt = stored.get(id.toLowerCase());
      const isConsistent = (outcome: string) =>
        outcome === receipt || (receipt === undefined && !/^20[01]$/.test(outcome));
      return [...outcomes].every(isConsistent)
        ? []
        : [`${id} got ${[...outcomes]}, its receipt is ${receipt}`];
    });
  }
}

/** The fetch options that send a change. */
export function requestInit({ user, key, body, contentType }: Change): RequestInit {
  const headers = { 'Content-Type': contentType, Cookie: user.cookie, [IDEMPOTENCY_KEY_HEADER]: key };
  return { method: 'POST', headers, body };
}

export async function readResponse(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, code: codeOf(response, text) };
}

function codeOf({ status }: Response, text: string): string | null {
  if (status < 400) return null;
  try {
    return JSON.parse(text).code ?? 'none';
  } catch {
    return 'none';
  }
}

export function voteOf(user: TestUser, pollId: string, option: 1 | 2, key = crypto.randomUUID()): Change {
  const body = new TextEncoder().encode(JSON.stringify({ option })).buffer;
  return { user, key, path: `/api/questions/${pollId}/vote`, body, contentType: 'application/json' };
}

export function closingOf(user: TestUser, pollId: string, key = crypto.randomUUID()): Change {
  const body = new ArrayBuffer(0);
  return { user, key, path: `/api/questions/${pollId}/close`, body, contentType: 'application/json' };
}

/** A new poll, by default for ten points. */
export async function creationOf(
  user: TestUser,
  fields: Parameters<typeof pollForm>[0] = {},
  key = crypto.randomUUID(),
): Promise<Change> {
  const { body, headers } = await pollForm(fields);
  return { user, key, path: '/api/questions', body, contentType: headers['content-type'] };
}

/** The error code of a response, or its status if there is none. */
export const outcomeOf = ({ code, status }: ApiResponse): string => code ?? String(status);

/** Counts responses by outcome; requests without a response are `lost`. */
export function countResponses(responses: readonly (ApiResponse | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const response of responses) {
    const name = response === null ? 'lost' : outcomeOf(response);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
