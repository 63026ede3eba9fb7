import type { AnalyticsEvent } from './analytics.ts';

/** Loads the analytics code on demand and sends an event, if analytics is configured. */
export function trackEvent(event: AnalyticsEvent): void {
  import('./analytics.ts').then(({ track }) => track(event)).catch(() => undefined);
}
