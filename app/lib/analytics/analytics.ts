import * as z from 'zod/mini';
import { afterLoad } from '#app/lib/after-load.ts';
import { answerSchema } from '#shared/contract.ts';
import { readAnalytics } from '#shared/service/contract.ts';

const TIMEOUT_MS = 10_000;

export type AnalyticsEvent = { name: string; path: string; props?: Readonly<Record<string, string>> };

let endpoint: Promise<string | null> | null = null;

/**
 * Counts an event at the configured address (Plausible's events API, https://plausible.io/docs/events-api). Never throws
 * and never keeps anybody waiting. Nothing is sent when none is configured, or when the browser says that the person
 * does not want to be counted. Of an address only the path is told: a query may hold a token.
 */
export function track({ name, path, props }: AnalyticsEvent): void {
  if (declinesTracking()) return;
  endpoint ??= afterLoad.then(askForEndpoint);
  endpoint
    .then(async (address) => {
      if (address === null) return;
      const event = { name, url: location.origin + path, domain: location.hostname, props };
      await fetch(address, {
        method: 'POST',
        // Any other type would make the browser ask for permission first.
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

/** Offline nobody can tell: then the next event asks again. */
async function askForEndpoint(): Promise<string | null> {
  try {
    const response = await fetch(readAnalytics.path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answer = z.safeParse(answerSchema(readAnalytics), await response.json());
    if (answer.success) return answer.data.endpoint;
  } catch {
    // As below.
  }
  endpoint = null;
  return null;
}
