export type KeyedMutex = ReturnType<typeof createKeyedMutex>;

/** Serialises the work of this process that has the same key. */
export function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
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
