import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { healthSchema } from '#shared/http.ts';
import { readHealth } from '#shared/service/contract.ts';
import { get } from '#sync/client/cache/pull.ts';
import { background } from './background.ts';
import { type ConnectionEvent, type ConnectionState, connectionStep } from './connection.ts';
import { type Observable, observable } from './observable.ts';
import type { Capabilities, Transport } from './types.ts';

/** The connection monitor of one tab: draws nothing, stops nothing, only tells. */
export type ConnectionMonitor = {
  readonly state: Observable<ConnectionState>;
  /** Tells what happened on the way to the server; `signal` also asks it at once. */
  tell(event: Exclude<ConnectionEvent, 'timer' | 'check_failed'>): void;
  /**
   * The browser says that there is no network. What was under way just then may still be answered, as if the server
   * were within reach: it is doubted again while the browser says so, as often as the server is asked in trouble.
   */
  wentOffline(): void;
};

/**
 * Starts with one health check. `onRestored` is called when the server can be reached after it could not. A health
 * answer counts only if it is the server's own JSON: the page of a captive portal is a failure.
 */
export function createConnectionMonitor(
  capabilities: Pick<Capabilities, 'transport' | 'clock' | 'isOnline'>,
  onRestored: () => void,
): ConnectionMonitor {
  const { transport, clock, isOnline } = capabilities;
  const state = observable<ConnectionState>({ phase: 'checking' });
  let cancelTimer = () => {};
  let checking = false;

  function tell(event: ConnectionEvent): void {
    const step = connectionStep(state.get(), event);
    if (step === null) return;
    if (step.state !== state.get() || step.timerMs !== undefined) cancelTimer();
    const isNew = step.state !== state.get();
    if (isNew) state.set(step.state);
    if (step.timerMs !== undefined) cancelTimer = clock.setTimeout(() => tell('timer'), step.timerMs);
    if (isNew && step.state.phase === 'restored') onRestored();
    if (step.check) background(check());
  }

  async function check(): Promise<void> {
    if (checking) return;
    checking = true;
    const answer = await get(transport, readHealth.path);
    checking = false;
    const isOurs = answer?.status === 200 && healthSchema.safeParse(answer.body).success;
    tell(isOurs ? 'reached' : 'check_failed');
  }

  function doubt(times: number): void {
    tell('trouble');
    if (times === 1) return;
    clock.setTimeout(() => {
      if (!isOnline()) doubt(times - 1);
    }, HEALTH_INTERVAL_MS);
  }

  background(check());
  return { state, tell, wentOffline: () => doubt(HEALTH_ATTEMPTS_MAX) };
}

/** `transport`, with the monitor told of every answer and every failure. */
export function watchedTransport(transport: Transport, { tell }: ConnectionMonitor): Transport {
  return async (request) => {
    try {
      const answer = await transport(request);
      // An answer that is not JSON is not the API's: 304 and 204 have no body at all.
      const isOurs = answer.body !== null || answer.status === 304 || answer.status === 204;
      tell(isOurs && answer.status < 500 ? 'reached' : 'trouble');
      return answer;
    } catch (error) {
      tell('trouble');
      throw error;
    }
  };
}
