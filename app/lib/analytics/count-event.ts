import type { AnalyticsEvent } from './analytics.ts';

/** Counts an event if that is configured; what does so is loaded when there is time for it. */
export function countEvent(event: AnalyticsEvent): void {
  import('./analytics.ts').then(({ track }) => track(event)).catch(() => undefined);
}
