import type { Lock } from '#sync/client/capabilities.ts';

type Holder = { readonly isDead: boolean };

/** Simulates Web Locks across the tabs of a device: a killed tab releases its locks at once, a frozen tab keeps them. */
export class SharedLocks {
  readonly #holders = new Map<string, Holder>();

  /** The locks as a tab sees them. */
  of(tab: Holder): Lock {
    return {
      spansTabs: true,
      run: async (name, job) => {
        if (this.#holders.get(name)?.isDead === false) return false;
        this.#holders.set(name, tab);
        try {
          await job();
          return true;
        } finally {
          // If this tab was killed, another tab may hold the lock by now.
          if (this.#holders.get(name) === tab) this.#holders.delete(name);
        }
      },
      heldNames: async () =>
        new Set([...this.#holders].flatMap(([name, holder]) => (holder.isDead ? [] : [name]))),
    };
  }

  isHeldBy(tab: Holder): boolean {
    return [...this.#holders.values()].includes(tab);
  }
}
