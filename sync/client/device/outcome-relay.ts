import type { Clock } from '#sync/client/capabilities.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';

/** How long a hidden tab waits for a visible tab to respond to its offer. */
const OFFER_TIMEOUT_MS = 500;

/**
 * A hidden tab offers an outcome (`offer`), visible tabs respond (`here`), and the first of them receives the outcome (`tell`).
 */
type Message =
  /** `from`: the id of the offer. */
  | { kind: 'offer'; from: string; userId: number }
  /** `to`: the id of the offer; `tab`: the id of the visible tab. */
  | { kind: 'here'; to: string; tab: string }
  /** `to`: the id of the visible tab. */
  | { kind: 'tell'; to: string; event: EngineEvent };

/** A broadcast channel between tabs. */
export type TabChannel = {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
};

type RelayContext = {
  channel: TabChannel;
  clock: Clock;
  newId(): string;
  isVisible(): boolean;
  /** Whether this tab belongs to this user. */
  hasUser(userId: number): boolean;
  show(event: EngineEvent): void;
};

/**
 * Creates the relay of a tab: a function that shows each outcome of the tab's ops once, in a visible tab of the op's user or, if
 * none responds in time, in this tab. An outcome is dropped if the tab that is to show it belongs to another user by then.
 */
export function createOutcomeRelay(context: RelayContext): (event: EngineEvent) => void {
  const { channel, clock, newId, isVisible, hasUser } = context;
  const tabId = newId();
  const shownKeys = new Set<string>();
  /** Functions that end an offer, by its id. They pass the outcome to the recipient, or show it in this tab if that is null. */
  const offers = new Map<string, (recipientId: string | null) => void>();

  function canShow(userId: number): boolean {
    return isVisible() && hasUser(userId);
  }

  function show(event: EngineEvent): void {
    if (!hasUser(event.op.userId)) return;
    const key = `${event.type} ${event.op.opId}`;
    if (shownKeys.has(key)) return;
    shownKeys.add(key);
    context.show(event);
  }

  channel.listen((data) => {
    // Another version of this app may send other messages.
    const message = data as Message;
    if (message.kind === 'offer' && canShow(message.userId)) {
      channel.post({ kind: 'here', to: message.from, tab: tabId } satisfies Message);
    } else if (message.kind === 'here') {
      offers.get(message.to)?.(message.tab);
    } else if (message.kind === 'tell' && message.to === tabId) {
      show(message.event);
    }
  });

  return (event) => {
    const { userId } = event.op;
    if (canShow(userId)) {
      show(event);
      return;
    }
    const offerId = newId();
    const endOffer = (recipientId: string | null) => {
      if (!offers.delete(offerId)) return;
      cancel();
      if (recipientId === null) show(event);
      else channel.post({ kind: 'tell', to: recipientId, event } satisfies Message);
    };
    offers.set(offerId, endOffer);
    const cancel = clock.setTimeout(() => endOffer(null), OFFER_TIMEOUT_MS);
    channel.post({ kind: 'offer', from: offerId, userId } satisfies Message);
  };
}
