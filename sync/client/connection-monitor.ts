import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { healthSchema } from '#shared/http.ts';
import { readHealth } from '#shared/service/contract.ts';
import { sendGet } from '#sync/client/cache/pull.ts';
import type { Capabilities, Transport } from './capabilities.ts';
import { type ConnectionEvent, type ConnectionState, connectionStep } from './connection.ts';
import { type Observable, observable } from './observable.ts';
import { runInBackground } from './run-in-background.ts';

/** Tracks whether a tab can reach the server. */
export type ConnectionMonitor = {
  readonly state: Observable<ConnectionState>;
  /** Reports an event, which may start a health check (see `connectionStep`). */
  report(event: Exclude<ConnectionEvent, 'timer' | 'check_failed'>): void;
  /**
   * Reports that the browser is offline. Starts a health check, and repeats it a few times while the browser remains offline,
   * because a late response to an earlier request makes the server count as reachable again.
   */
  wentOffline(): void;
};

/**
 * Creates the monitor and starts a health check. `onRestored` is called when the server is reachable again. Only the server's
 * own JSON passes a health check: the page of a captive portal counts as a failure.
 */
export function createConnectionMonitor(
  capabilities: Pick<Capabilities, 'transport' | 'clock' | 'isOnline'>,
  onRestored: () => void,
): ConnectionMonitor {
  const { transport, clock, isOnline } = capabilities;
  const state = observable<ConnectionState>({ phase: 'checking' });
  let cancelTimer = () => {};
  let isChecking = false;

  function report(event: ConnectionEvent): void {
    const step = connectionStep(state.get(), event);
    if (step === null) return;
    const isNew = step.state !== state.get();
    if (isNew || step.timerMs !== undefined) cancelTimer();
    if (isNew) state.set(step.state);
    if (step.timerMs !== undefined) cancelTimer = clock.setTimeout(() => report('timer'), step.timerMs);
    if (isNew && step.state.phase === 'restored') onRestored();
    if (step.check) runInBackground(check());
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const response = await sendGet(transport, readHealth.path);
    isChecking = false;
    const isFromApi = response?.status === 200 && healthSchema.safeParse(response.body).success;
    report(isFromApi ? 'reached' : 'check_failed');
  }

  function checkWhileOffline(checksLeft: number): void {
    // Starts a check if the server counts as reachable.
    report('trouble');
    if (checksLeft === 1) return;
    clock.setTimeout(() => {
      if (!isOnline()) checkWhileOffline(checksLeft - 1);
    }, HEALTH_INTERVAL_MS);
  }

  runInBackground(check());
  return { state, report, wentOffline: () => checkWhileOffline(HEALTH_ATTEMPTS_MAX) };
}

/** Returns a transport that reports every response and failure of `transport` to the monitor. */
export function monitoredTransport(transport: Transport, { report }: ConnectionMonitor): Transport {
  return async (request) => {
    try {
      const response = await transport(request);
      // Responses of the API are JSON, or have no body (304 and 204).
      const isFromApi = response.body !== null || response.status === 304 || response.status === 204;
      report(isFromApi && response.status < 500 ? 'reached' : 'trouble');
      return response;
    } catch (error) {
      report('trouble');
      throw error;
    }
  };
}
