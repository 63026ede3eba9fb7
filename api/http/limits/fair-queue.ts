import { AppError } from '#api/errors.ts';

type Waiter = { networks: readonly string[]; start: () => void; reject: (reason: AppError) => void };

/** The callers waiting in a network, and its subnetworks in the order of their turns. `size` includes those of subnetworks. */
type Network = { size: number; waiters: Waiter[]; subnetworks: Map<string, Network> };

const newNetwork = (): Network => ({ size: 0, waiters: [], subnetworks: new Map() });

/**
 * Creates a queue that runs at most `concurrency` pieces of work at once; up to `queueMax` more wait. Networks take turns
 * (round-robin), and so do their subnetworks, so that many callers in one network do not delay those in another. When the queue
 * is full, the latest caller in the largest subnetwork of the largest network is rejected. That may be the new caller.
 */
export function createFairQueue(options: {
  concurrency: number;
  queueMax: number;
  retryAfterSeconds: number;
}) {
  let running = 0;
  const waiting = newNetwork();

  function acquire(networks: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw requestClosed(signal);
    if (running < options.concurrency) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= options.queueMax) makeRoom(networks);
    return new Promise((start, reject) => {
      const onAbort = () => {
        remove(waiter);
        if (signal !== undefined) reject(requestClosed(signal));
      };
      const stopListening = () => signal?.removeEventListener('abort', onAbort);
      const waiter: Waiter = {
        networks,
        start: () => {
          stopListening();
          start();
        },
        reject: (reason) => {
          stopListening();
          reject(reason);
        },
      };
      add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  function release(): void {
    const next = firstIn(waiting);
    if (next === null) {
      running -= 1;
      return;
    }
    moveToEnd(next);
    remove(next);
    next.start();
  }

  /** Rejects a waiting caller in favour of a new one. Throws `busy` if it is the new caller that is to be rejected. */
  function makeRoom(networks: readonly string[]): void {
    const busy = new AppError('busy', { retryAfterSeconds: options.retryAfterSeconds });
    const replaced = findReplaced(waiting, networks);
    if (replaced === null) throw busy;
    remove(replaced);
    replaced.reject(busy);
  }

  function add(waiter: Waiter): void {
    let network = waiting;
    network.size += 1;
    for (const name of waiter.networks) {
      const subnetwork = network.subnetworks.get(name) ?? newNetwork();
      network.subnetworks.set(name, subnetwork);
      network = subnetwork;
      network.size += 1;
    }
    network.waiters.push(waiter);
  }

  function remove(waiter: Waiter): void {
    let network = waiting;
    network.size -= 1;
    for (const name of waiter.networks) {
      const subnetwork = network.subnetworks.get(name);
      if (subnetwork === undefined) return;
      subnetwork.size -= 1;
      if (subnetwork.size === 0) {
        network.subnetworks.delete(name);
        return;
      }
      network = subnetwork;
    }
    network.waiters = network.waiters.filter((other) => other !== waiter);
  }

  /** Moves the networks of a waiter to the end of the order, after their turn. */
  function moveToEnd({ networks }: Waiter): void {
    let network = waiting;
    for (const name of networks) {
      const subnetwork = network.subnetworks.get(name);
      if (subnetwork === undefined) return;
      network.subnetworks.delete(name);
      network.subnetworks.set(name, subnetwork);
      network = subnetwork;
    }
  }

  return {
    /** The number of waiting callers. */
    waiting: () => waiting.size,
    /**
     * Runs `work` when its turn comes. `networks`: those of the caller, the widest first. Rejects with `busy` (503) when the
     * queue is full, and with `invalid_input` when `signal` aborts before `work` starts.
     */
    async run<Result>(
      networks: readonly string[],
      work: () => Promise<Result>,
      signal?: AbortSignal,
    ): Promise<Result> {
      await acquire(networks, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

function firstIn(network: Network): Waiter | null {
  const [first] = network.subnetworks.values();
  return first === undefined ? (network.waiters[0] ?? null) : firstIn(first);
}

/**
 * The waiter that a new caller with these networks replaces. If the largest network is the new caller's, its subnetworks are
 * compared instead. Null if no network is larger than that of the new caller would be.
 */
function findReplaced(network: Network, networks: readonly string[]): Waiter | null {
  const [name, ...rest] = networks;
  if (name === undefined) return null;
  const ownNetwork = network.subnetworks.get(name);
  const largest = [...network.subnetworks.values()].reduce(
    (most, subnetwork) => (subnetwork.size > most.size ? subnetwork : most),
    ownNetwork ?? newNetwork(),
  );
  if (largest === ownNetwork) return findReplaced(ownNetwork, rest);
  return largest.size > (ownNetwork?.size ?? 0) + 1 ? latestInLargest(largest) : null;
}

/** The latest waiter that is found by descending into the largest subnetwork at each level. */
function latestInLargest(network: Network): Waiter | null {
  let largest: Network | null = null;
  for (const subnetwork of network.subnetworks.values())
    if (subnetwork.size >= (largest?.size ?? 0)) largest = subnetwork;
  return largest === null ? (network.waiters.at(-1) ?? null) : latestInLargest(largest);
}

/** The error of work for a client that has disconnected. */
export function requestClosed(signal: AbortSignal): AppError {
  return new AppError('invalid_input', {
    message: 'The client has closed the request.',
    cause: signal.reason,
  });
}
