import type { Poll } from '#shared/polls/schema.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { OpError } from '#sync/protocol/op.ts';

/**
 * An outcome of an op, to be shown to the user. `delayed`: the op still waits. `poll` is null if it no longer exists, or the
 * response had no poll, could not be read, or could not be stored; `isNew` is false if the server already had the created poll.
 */
export type EngineEvent =
  | { type: 'applied'; op: Op; poll: Poll | null; isNew: boolean }
  | { type: 'rejected'; op: Op; error: OpError }
  | { type: 'delayed'; op: Op };

export type Emitter = {
  emit(event: EngineEvent): void;
  /** Subscribes to outcomes of ops; returns the function that unsubscribes. */
  onEvent(listener: (event: EngineEvent) => void): () => void;
};

/** Creates an emitter that passes outcomes of ops to listeners, but `delayed` only once for each op. */
export function createEmitter(): Emitter {
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
