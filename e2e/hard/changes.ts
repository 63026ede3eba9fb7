import type { Database } from '#api/db/client.ts';
import { pollForm } from '#api/testing/poll-factory.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';

export type Person = { userId: number; cookie: string };

export type Answer = { status: number; headers: Headers; text: string; code: string | null };

/** A keyed change that is sent until it has its answer. */
export type Change = { person: Person; key: string; path: string; body: ArrayBuffer; type: string };

/** Answers that say nothing about the change, so that those to one key may differ. */
const PASSING = new Set([400, 401, 408, 413, 415, 422, 429]);
const isPassing = ({ status, code }: Answer) =>
  PASSING.has(status) || status >= 500 || code === 'in_flight' || code === 'actor_mismatch';

/** All that was answered to keyed changes. */
export class AnswerBook {
  readonly #answers = new Map<string, Set<string>>();

  note({ person, key }: Change, answer: Answer): void {
    if (isPassing(answer)) return;
    const id = `${person.userId} ${key}`;
    const outcomes = this.#answers.get(id) ?? new Set();
    this.#answers.set(id, outcomes.add(`${answer.status} ${answer.code ?? ''}`.trim()));
  }

  /** Keys that were answered in different ways. */
  differences(): string[] {
    return [...this.#answers]
      .filter(([, outcomes]) => outcomes.size > 1)
      .map(([key, outcomes]) => `the answers to ${key} differ: ${[...outcomes].join()}`);
  }

  /** Acknowledged changes that no receipt remembers, and receipts that say something else. Refusals may be forgotten. */
  async lostReceipts(db: Database): Promise<string[]> {
    const rows = await db.sql<{ id: string; outcome: string }[]>`
      select user_id || ' ' || key as id, status || coalesce(' ' || code, '') as outcome from mutation_receipts`;
    const stored = new Map(rows.map(({ id, outcome }) => [id, outcome]));
    return [...this.#answers].flatMap(([id, outcomes]) => {
      const receipt = stored.get(id.toLowerCase());
      const isKept = (outcome: string) =>
        outcome === receipt || (receipt === undefined && !/^20[01]$/.test(outcome));
      return [...outcomes].every(isKept)
        ? []
        : [`${id} was answered ${[...outcomes]}, its receipt is ${receipt}`];
    });
  }
}

/** The request of a change. */
export function initOf({ person, key, body, type }: Change): RequestInit {
  const headers = { 'Content-Type': type, Cookie: person.cookie, [IDEMPOTENCY_KEY_HEADER]: key };
  return { method: 'POST', headers, body };
}

export async function readAnswer(response: Response): Promise<Answer> {
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

export function voteOf(person: Person, pollId: string, option: 1 | 2, key = crypto.randomUUID()): Change {
  const body = new TextEncoder().encode(JSON.stringify({ option })).buffer;
  return { person, key, path: `/api/questions/${pollId}/vote`, body, type: 'application/json' };
}

export function closingOf(person: Person, pollId: string, key = crypto.randomUUID()): Change {
  const body = new ArrayBuffer(0);
  return { person, key, path: `/api/questions/${pollId}/close`, body, type: 'application/json' };
}

/** A new poll for ten points, unless `fields` want more responses. */
export async function creationOf(
  person: Person,
  fields: Parameters<typeof pollForm>[0] = {},
  key = crypto.randomUUID(),
): Promise<Change> {
  const { body, headers } = await pollForm(fields);
  return { person, key, path: '/api/questions', body, type: headers['content-type'] };
}

/** How many answers there were of each status and code. */
export function countAnswers(answers: readonly (Answer | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = answer === null ? 'lost' : (answer.code ?? String(answer.status));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
