import type { Transport } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';

/**
 * Creates a transport that uses `fetch`. It throws `NetworkFailure` after timeouts, broken connections, truncated bodies and
 * redirects.
 */
export function fetchTransport(baseUrl = ''): Transport {
  return async ({ method, path, headers, body, timeoutMs }) => {
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers,
        body,
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parseJson(response.headers, text) };
    } catch (error) {
      throw new NetworkFailure('No complete response from the server', { cause: error });
    }
  };
}

function parseJson(headers: Headers, text: string): unknown {
  if (!(headers.get('Content-Type') ?? '').includes('application/json')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
