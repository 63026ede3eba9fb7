import { saysPartIsLost } from './lost-part.ts';

/** Where a fault was heard of. `place` is the address of the script, when the browser tells. */
export type FaultReport =
  | { kind: 'error'; error: unknown; message: string; place: string }
  | { kind: 'rejection'; reason: unknown }
  | { kind: 'console'; values: readonly unknown[] };

/** Errors that say that the network, or what was asked for, went away: the app goes on. By code; a browser's by name. */
const CALM = new Set<unknown>([
  'unreachable',
  'AbortError',
  'TimeoutError',
  'NetworkError',
  // The session ended, or its database was closed, under somebody who still read it.
  'signed_out',
  'DatabaseClosedError',
]);

/** What browsers say when a request found no server. */
const NETWORK_WORDS =
  /failed to fetch|load failed|networkerror when attempting|network request failed|the network connection was lost|internet connection appears to be offline/i;

/** What extensions, and browsers about nothing, leave in every page. */
const NOISE_WORDS =
  /^script error\.?$|resizeobserver loop|extension context invalidated|message (port|channel) (was )?closed|receiving end does not exist|object not found matching id/i;

const EXTENSION_PLACE = /(chrome|moz|safari|safari-web|ms-browser)-extension:\/\//;

/** A line in the console that a broken program writes. */
const SUSPICIOUS_WORDS =
  /^uncaught\b|^unhandled\b|\b(type|reference|range|syntax|internal)error\b|minified react error|maximum update depth|is not a function|of undefined|of null/i;

/**
 * Whether a report means that the app itself is broken. Network failures, aborts and what browser extensions
 * do never count, nor does a line in the console that names no fault.
 */
export function countsAsFault(report: FaultReport): boolean {
  switch (report.kind) {
    case 'error':
      return !EXTENSION_PLACE.test(report.place) && isFault(report.error ?? report.message);
    case 'rejection':
      return isFault(report.reason);
    case 'console':
      return isSuspicious(report.values);
  }
}

function isFault(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return !isCalm(String(thrown));
  const { code, name }: { code?: unknown; name: string } = thrown;
  if (CALM.has(code) || CALM.has(name) || isCalm(thrown.message)) return false;
  if (EXTENSION_PLACE.test(thrown.stack ?? '')) return false;
  return thrown.cause === undefined || isFault(thrown.cause);
}

function isCalm(words: string): boolean {
  return (
    saysPartIsLost(words) ||
    NETWORK_WORDS.test(words) ||
    NOISE_WORDS.test(words) ||
    EXTENSION_PLACE.test(words)
  );
}

function isSuspicious(values: readonly unknown[]): boolean {
  const error = values.find((value) => value instanceof Error);
  if (error !== undefined) return isFault(error);
  const words = values.filter((value) => typeof value === 'string').join(' ');
  return SUSPICIOUS_WORDS.test(words) && !isCalm(words);
}
