import { laneOf, type Op } from '#sync/operations/registry.ts';

/** Who sends: what a dead or frozen tab has sent may still be on its way when another one goes on in its place. */
type Sender = { readonly isDead: boolean; readonly isFrozen: boolean };

/** An op that never gets an answer, whatever the network does. */
export type Poison = {
  opId: string;
  /** Those that it must not hold up, until they are tried. */
  others: Set<string>;
  /** How often it was tried although one of them could have been sent instead. */
  failures: number;
};

/** The first op, and those of its lane that it must not hold up. */
export function toPoison([first, ...others]: readonly Op[]): Poison | null {
  if (first === undefined) return null;
  const sameLane = others.filter((op) => laneOf(op) === laneOf(first));
  return { opId: first.opId, others: new Set(sameLane.map(({ opId }) => opId)), failures: 0 };
}

/**
 * Watches what a device sends: each key by one tab at a time that is awake, never again once settled, never once withdrawn.
 * What is sent for a former epoch does not count: the present server refuses it.
 */
export class SendWatch {
  /** The key of each attempt to send an op, in order, with or without a network. */
  readonly log: string[] = [];
  poison: Poison | null = null;
  /** What went wrong, in words. */
  readonly broken: string[] = [];
  readonly #underWay = new Map<string, { sender: Sender; epoch: string | undefined }>();
  readonly #settled = new Set<string>();
  readonly #withdrawn = new Set<string>();

  /** How many attempts there were. */
  get attempts(): number {
    return this.log.length;
  }

  /** `epoch`: that of the server for which the key is sent, if it is known. */
  begin(key: string, sender: Sender, epoch: string | undefined): void {
    this.log.push(key);
    this.poison?.others.delete(key);
    const other = this.#underWay.get(key);
    const isAwake = other?.sender.isDead === false && !other.sender.isFrozen;
    if (isAwake && other.epoch === epoch) this.broken.push(`${key} was sent twice at once`);
    if (this.#settled.has(key)) this.broken.push(`${key} was sent although its answer is stored`);
    if (this.#withdrawn.has(key)) this.broken.push(`${key} was sent although it was withdrawn`);
    this.#underWay.set(key, { sender, epoch });
  }

  end(key: string, sender: Sender): void {
    if (this.#underWay.get(key)?.sender === sender) this.#underWay.delete(key);
  }

  /**
   * Counts an attempt of the poison, with the queue as it is meanwhile. What another drain has leased is not held up: it is being
   * sent.
   */
  countFailure(poison: Poison, ops: readonly Op[], nowMs: number): void {
    const { opId, others } = poison;
    const owner = ops.find((op) => op.opId === opId)?.leaseOwner;
    const isAvailable = (op: Op) =>
      op.state === 'sending' ? op.leaseOwner === owner || op.leaseUntil <= nowMs : op.state === 'queued';
    const isHeldUp = ops.some((op) => others.has(op.opId) && isAvailable(op));
    if (isHeldUp) poison.failures += 1;
  }

  /** The device has stored a final answer to it. */
  settle(key: string): void {
    this.#settled.add(key);
  }

  /** The server has gone back in time: what it had acknowledged lately may be sent again. */
  forgetSettled(keys: readonly string[]): void {
    for (const key of keys) this.#settled.delete(key);
  }

  /** The person does not want it any more. */
  withdraw(key: string): void {
    this.#withdrawn.add(key);
  }
}
