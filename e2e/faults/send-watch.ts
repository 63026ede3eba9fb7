/** Who sends: what a dead or frozen tab has sent may still be on its way when another one goes on in its place. */
type Sender = { readonly isDead: boolean; readonly isFrozen: boolean };

/**
 * Watches what a device sends: each key by one tab at a time that is awake, never again once settled, never once withdrawn.
 * What is sent for a former epoch does not count: the present server refuses it.
 */
export class SendWatch {
  /** The key of each attempt to send an op, in order, with or without a network. */
  readonly log: string[] = [];
  /** An op that never gets an answer, whatever the network does. */
  poison: string | null = null;
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
