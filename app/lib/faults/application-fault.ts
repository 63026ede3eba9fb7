import { isChunkLoadMessage } from './chunk-load-error.ts';

/** An error seen by one of the global handlers. `source` is the URL of the script, if known. */
export type FaultReport =
  | { kind: 'error'; error: unknown; message: string; source: string }
  | { kind: 'rejection'; reason: unknown }
  | { kind: 'console'; values: readonly unknown[] };

/** Codes and names of errors that are expected while the app works: failed requests, aborts and ended sessions. */
const EXPECTED_ERRORS = new Set<unknown>([
  'unreachable',
  'AbortError',
  'TimeoutError',
  'NetworkError',
  // The session ended, or its database was closed, during a read.
  'logged_out',
  'DatabaseClosedError',
]);

/** Messages of browsers for a failed request. */
const NETWORK_MESSAGE =
  /failed to fetch|load failed|networkerror when attempting|network request failed|the network connection was lost|internet connection appears to be offline/i;

/** Harmless messages, caused by browsers or their extensions. */
const NOISE_MESSAGE =
  /^script error\.?$|resizeobserver loop|extension context invalidated|message (port|channel) (was )?closed|receiving end does not exist|object not found matching id/i;

const EXTENSION_URL = /(chrome|moz|safari|safari-web|ms-browser)-extension:\/\//;

/** Console messages that indicate a programming error. */
const SUSPICIOUS_MESSAGE =
  /^uncaught\b|^unhandled\b|\b(type|reference|range|syntax|internal)error\b|minified react error|maximum update depth|is not a function|of undefined|of null/i;

/** Whether a report means that the app itself is broken, rather than the network or a browser extension. */
export function isApplicationFault(report: FaultReport): boolean {
  switch (report.kind) {
    case 'error':
      return !EXTENSION_URL.test(report.source) && isFault(report.error ?? report.message);
    case 'rejection':
      return isFault(report.reason);
    case 'console':
      return isSuspicious(report.values);
  }
}

function isFault(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return !isExpected(String(thrown));
  const { code, name }: { code?: unknown; name: string } = thrown;
  if (EXPECTED_ERRORS.has(code) || EXPECTED_ERRORS.has(name) || isExpected(thrown.message)) return false;
  if (EXTENSION_URL.test(thrown.stack ?? '')) return false;
  return thrown.cause === undefined || isFault(thrown.cause);
}

function isExpected(message: string): boolean {
  return (
    isChunkLoadMessage(message) ||
    NETWORK_MESSAGE.test(message) ||
    NOISE_MESSAGE.test(message) ||
    EXTENSION_URL.test(message)
  );
}

function isSuspicious(values: readonly unknown[]): boolean {
  const error = values.find((value) => value instanceof Error);
  if (error !== undefined) return isFault(error);
  const message = values.filter((value) => typeof value === 'string').join(' ');
  return SUSPICIOUS_MESSAGE.test(message) && !isExpected(message);
}
