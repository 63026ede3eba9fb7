import { laneOf, type Op } from '#sync/operations/registry.ts';

/** The tab that sends. A request of a killed or frozen tab may still be in flight when another tab takes over. */
type Sender = { readonly isDead: boolean; readonly isFrozen: boolean };

/** An op that never gets a response, like a poison message of a queue. */
export type PoisonOp = {
  opId: string;
  /** The ops that it must not block, until they are sent. */
  others: Set<string>;
  /** How often the op was sent although another op could have been sent instead. */
  failures: number;
};

/** Makes the first op the poison op, which must not block the others of its lane. */
export function choosePoisonOp([first, ...others]: readonly Op[]): PoisonOp | null {
  if (first === undefined) return null;
  const sameLane = others.filter((op) => laneOf(op) === laneOf(first));
  return { opId: first.opId, others: new Set(sameLane.map(({ opId }) => opId)), failures: 0 };
}

/**
 * Checks that no key is sent by two awake tabs at once, nor after its response was stored, nor after its op was withdrawn.
 * Requests for an earlier epoch do not count as concurrent, because the restored server refuses them.
 */
export class SendMonitor {
  /** The key of each attempt to send an op, in order, including those while offline. */
  readonly log: string[] = [];
  poison: PoisonOp | null = null;
  readonly violations: string[] = [];
  readonly #inFlight = new Map<string, { sender: Sender; epoch: string | undefined }>();
  readonly #settled = new Set<string>();
  readonly #withdrawn = new Set<string>();

  get attempts(): number {
    return this.log.length;
  }

  /** `epoch` is the server epoch that the device expects, if it knows one. */
  begin(key: string, sender: Sender, epoch: string | undefined): void {
    this.log.push(key);
    this.poison?.others.delete(key);
    const other = this.#inFlight.get(key);
    const isAwake = other?.sender.isDead === false && !other.sender.isFrozen;
    if (isAwake && other.epoch === epoch) this.violations.push(`${key} was sent by two tabs at once`);
    if (this.#settled.has(key)) this.violations.push(`${key} was sent although its response is stored`);
    if (this.#withdrawn.has(key)) this.violations.push(`${key} was sent although it was withdrawn`);
    this.#inFlight.set(key, { sender, epoch });
  }

  end(key: string, sender: Sender): void {
    if (this.#inFlight.get(key)?.sender === sender) this.#inFlight.delete(key);
  }

  /** Counts an attempt to send the poison op if it blocks another op. An op leased by another drain is not blocked. */
  countFailure(poison: PoisonOp, ops: readonly Op[], nowMs: number): void {
    const { opId, others } = poison;
    const owner = ops.find((op) => op.opId === opId)?.leaseOwner;
    const isAvailable = (op: Op) =>
      op.state === 'sending' ? op.leaseOwner === owner || op.leaseUntil <= nowMs : op.state === 'queued';
    const isBlocking = ops.some((op) => others.has(op.opId) && isAvailable(op));
    if (isBlocking) poison.failures += 1;
  }

  /** Called when the device has stored the final response to a key. */
  settle(key: string): void {
    this.#settled.add(key);
  }

  /** Called after a restore of the server: the device may send these keys again. */
  forgetSettled(keys: readonly string[]): void {
    for (const key of keys) this.#settled.delete(key);
  }

  /** Called when the user has withdrawn an op. */
  withdraw(key: string): void {
    this.#withdrawn.add(key);
  }
}
