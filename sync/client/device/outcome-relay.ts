import type { Clock, EngineEvent } from '#sync/client/types.ts';

/** How long a tab that nobody sees waits for one that can be seen. */
const ANSWER_WITHIN_MS = 500;

/** A tab that cannot be seen has something to tell; tabs that can be seen answer; the first of them is told. */
type Message =
  | { kind: 'offer'; from: string; userId: number }
  | { kind: 'here'; to: string; tab: string }
  | { kind: 'tell'; to: string; event: EngineEvent };

/** What one tab says all others hear. */
export type OutcomeChannel = {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
};

type RelayContext = {
  channel: OutcomeChannel;
  clock: Clock;
  newId(): string;
  /** Whether this tab can be seen, and shows this user's app. */
  canTell(userId: number): boolean;
  show(event: EngineEvent): void;
};

/**
 * Whichever tab has won a drain: outcomes are shown once, in a tab that can be seen. When there is none, the tab that
 * knows shows them itself. Returns the way to hand one in.
 */
export function createOutcomeRelay(context: RelayContext): (event: EngineEvent) => void {
  const { channel, clock, newId, canTell } = context;
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
    // Only this app writes there; another version may write something else.
    const message = data as Message;
    if (message.kind === 'offer' && canTell(message.userId)) {
      channel.post({ kind: 'here', to: message.from, tab } satisfies Message);
    } else if (message.kind === 'here') {
      offered.get(message.to)?.(message.tab);
    } else if (message.kind === 'tell' && message.to === tab) {
      show(message.event);
    }
  });

  return (event) => {
    const { userId } = event.op;
    if (canTell(userId)) {
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
    const cancel = clock.setTimeout(() => settle(null), ANSWER_WITHIN_MS);
    channel.post({ kind: 'offer', from: offer, userId } satisfies Message);
  };
}
