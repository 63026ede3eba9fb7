import type { Observable, Subscription } from 'dexie';

type Subscriber<T> = { next(value: T): void; error(error: unknown): void };

/** A live query that runs once for all its subscribers, in the shape that `useObservable` of dexie-react-hooks takes. */
export type SharedQuery<T> = {
  subscribe(next: (value: T) => void, error: (error: unknown) => void): () => void;
  hasValue(): boolean;
  getValue(): T;
};

/**
 * Subscribes to `query` while there are subscribers, and passes on its results. The last result is kept: later
 * subscribers get it at once, until the query has run again.
 */
export function shareQuery<T>(query: Pick<Observable<T>, 'subscribe'>): SharedQuery<T> {
  const subscribers = new Set<Subscriber<T>>();
  let subscription: Subscription | null = null;
  let lastResult: { value: T } | null = null;

  function start(): Subscription {
    return query.subscribe({
      next(value) {
        lastResult = { value };
        for (const subscriber of subscribers) subscriber.next(value);
      },
      error(error) {
        for (const subscriber of subscribers) subscriber.error(error);
      },
    });
  }

  return {
    subscribe(next, error) {
      const subscriber = { next, error };
      subscribers.add(subscriber);
      if (lastResult !== null) next(lastResult.value);
      subscription ??= start();
      return () => {
        subscribers.delete(subscriber);
        if (subscribers.size > 0) return;
        subscription?.unsubscribe();
        subscription = null;
      };
    },
    hasValue: () => lastResult !== null,
    getValue() {
      if (lastResult === null) throw new Error('The query has not run yet');
      return lastResult.value;
    },
  };
}
