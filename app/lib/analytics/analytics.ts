import * as z from 'zod/mini';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { responseSchema } from '#shared/contract.ts';
import { readAnalyticsSettings } from '#shared/service/contract.ts';

const TIMEOUT_MS = 10_000;

export type AnalyticsEvent = { name: string; path: string; props?: Readonly<Record<string, string>> };

let endpoint: Promise<string | null> | null = null;

/**
 * Sends an event to the configured endpoint (Plausible's events API, https://plausible.io/docs/events-api). Never throws.
 * Nothing is sent without an endpoint, or when the browser asks not to be tracked. Only the path of an address is sent,
 * because a query may contain a token.
 */
export function track({ name, path, props }: AnalyticsEvent): void {
  if (declinesTracking()) return;
  endpoint ??= afterLoad.then(fetchEndpoint);
  endpoint
    .then(async (address) => {
      if (address === null) return;
      const event = { name, url: location.origin + path, domain: location.hostname, props };
      await fetch(address, {
        method: 'POST',
        // Any other type would cause a CORS preflight request.
        headers: { 'Content-Type': 'text/plain' },
        body: JSON.stringify(event),
        credentials: 'omit',
        keepalive: true,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    })
    .catch(() => {});
}

function declinesTracking(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl === true;
}

/** The configured endpoint; null if there is none, or if the request failed: the next event then requests it again. */
async function fetchEndpoint(): Promise<string | null> {
  try {
    const response = await fetch(readAnalyticsSettings.path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const settings = z.safeParse(responseSchema(readAnalyticsSettings), await response.json());
    if (settings.success) return settings.data.endpoint;
  } catch {
    // Handled below.
  }
  endpoint = null;
  return null;
}
