import { type Span, SpanKind } from '@opentelemetry/api';
import postgres from 'postgres';
import { endSpan, startInnerSpan } from './spans.ts';

/** Members of the driver's promise of a statement that its types lack. */
type Query = {
  executed: boolean;
  /** The statement with placeholders, once it is on its way. */
  string?: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  handle(): Promise<void>;
};

const NAME_MAX_LENGTH = 255;
const LITERAL = /'[^']*'/g;
/** Matches what a statement changes, except the locks of `for update` and the update of `on conflict`. */
const CHANGE = /(?<!\b(?:for|key|do) )\b(insert|update|delete) (?:into |from )?"?(\w+)/gi;
/** Matches what a statement reads, except calls, as in `from unnest(…)` and `extract(epoch from min(…))`, and `join lateral (…)`. */
const READ = /\b(?:from|join) "?(\w+)\b(?! ?\()/gi;

/**
 * Records a span for each statement of a request or a piece of work, from the moment when it waits for a connection. The driver
 * has no hooks for that, so its class of statements is patched. Returns a function that removes the patch.
 */
export function traceQueries(): () => void {
  // Never connects, since none of its statements is awaited.
  const sql = postgres({ max: 1 });
  const prototype: Query = Object.getPrototypeOf(sql`select`);
  const handle = prototype.handle;
  prototype.handle = function (this: Query) {
    if (!this.executed) trace(this);
    return handle.call(this);
  };
  return () => {
    prototype.handle = handle;
  };
}

function trace(query: Query): void {
  const span = startInnerSpan('query', SpanKind.CLIENT, { 'db.system.name': 'postgresql' });
  if (span === null) return;
  const { resolve, reject } = query;
  query.resolve = (result) => {
    end(span, query);
    resolve(result);
  };
  query.reject = (error) => {
    end(span, query, error);
    reject(error);
  };
}

function end(span: Span, query: Query, error?: unknown): void {
  const summary = summaryOf(query.string ?? '');
  span.updateName(summary);
  span.setAttribute('db.query.summary', summary);
  endSpan(span, error);
}

/** The kind of a statement and its tables, without any value. */
export function summaryOf(statement: string): string {
  const text = statement.replaceAll(LITERAL, '');
  const changes = [...text.matchAll(CHANGE)].map(([, verb = '', table]) => `${verb.toLowerCase()} ${table}`);
  const read = new Set([...text.matchAll(READ)].map(([, table]) => table));
  const [firstWord = 'query'] = /\w+/.exec(text) ?? [];
  const otherwise = read.size > 0 ? `select ${[...read].join(', ')}` : firstWord.toLowerCase();
  const summary = changes.length > 0 ? [...new Set(changes)].join(', ') : otherwise;
  return summary.slice(0, NAME_MAX_LENGTH);
}
