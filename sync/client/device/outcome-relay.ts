import type { Clock } from '#sync/client/capabilities.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';

/** How long a hidden tab waits for a visible tab to respond to its offer. */
const ANSWER_TIMEOUT_MS = 500;

/** A hidden tab offers an outcome (`offer`), visible tabs respond (`here`), and the first of them gets the outcome (`tell`). */
type Message =
  | { kind: 'offer'; from: string; userId: number }
  | { kind: 'here'; to: string; tab: string }
  | { kind: 'tell'; to: string; event: EngineEvent };

/** A broadcast channel between tabs. */
export type OutcomeChannel = {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
};

type RelayContext = {
  channel: OutcomeChannel;
  clock: Clock;
  newId(): string;
  /** Whether this tab is visible and belongs to this user. */
  canShow(userId: number): boolean;
  show(event: EngineEvent): void;
};

/**
 * Shows each outcome once: in a visible tab or, if no tab is visible, in the tab that sent the op. Returns the function to which
 * this tab passes its outcomes.
 */
export function createOutcomeRelay(context: RelayContext): (event: EngineEvent) => void {
  const { channel, clock, newId, canShow } = context;
  const tab = newId();
  const shown = new Set<string>();
  const offered = new Map<string, (tab: string | null) => void>();

  function show(event: EngineEvent): void {
    const key = `${event.type} ${event.op.opId}`;
    if (shown.has(key)) return;
    shown.add(key);
    context.show(event);
  }

  channel.listen((data) => {
    // Another version of this app may send other messages.
    const message = data as Message;
    if (message.kind === 'offer' && canShow(message.userId)) {
      channel.post({ kind: 'here', to: message.from, tab } satisfies Message);
    } else if (message.kind === 'here') {
      offered.get(message.to)?.(message.tab);
    } else if (message.kind === 'tell' && message.to === tab) {
      show(message.event);
    }
  });

  return (event) => {
    const { userId } = event.op;
    if (canShow(userId)) {
      show(event);
      return;
    }
    const offer = newId();
    const settle = (to: string | null) => {
      if (!offered.delete(offer)) return;
      cancel();
      if (to === null) show(event);
      else channel.post({ kind: 'tell', to, event } satisfies Message);
    };
    offered.set(offer, settle);
    const cancel = clock.setTimeout(() => settle(null), ANSWER_TIMEOUT_MS);
    channel.post({ kind: 'offer', from: offer, userId } satisfies Message);
  };
}
