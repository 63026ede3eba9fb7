/** Lets work of the same key run one after the other, in this process. */
export type KeyedMutex = { run<Result>(key: string, work: () => Promise<Result>): Promise<Result> };

/** A mutex for each key, kept only while work of that key runs or waits. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
      last.set(key, turn);
      try {
        return await turn;
      } finally {
        if (last.get(key) === turn) last.delete(key);
      }
    },
  };
}
