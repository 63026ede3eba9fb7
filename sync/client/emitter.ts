import type { Engine, EngineEvent } from './types.ts';

/** Passes outcomes of ops to listeners; `delayed` only once for each op. */
export function createEmitter(): Pick<Engine, 'onEvent'> & { emit(event: EngineEvent): void } {
  const listeners = new Set<(event: EngineEvent) => void>();
  const delayed = new Set<string>();
  return {
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(event) {
      if (event.type === 'delayed') {
        if (delayed.has(event.op.opId)) return;
        delayed.add(event.op.opId);
      }
      for (const listener of listeners) listener(event);
    },
  };
}
