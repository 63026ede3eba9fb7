/** Lets work of the same name run one after the other, in this process. */
export type Turns = { take<Result>(name: string, work: () => Promise<Result>): Promise<Result> };

/** Nobody waits yet. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(name, work) {
      const turn = (last.get(name) ?? Promise.resolve()).then(work, work);
      last.set(name, turn);
      try {
        return await turn;
      } finally {
        if (last.get(name) === turn) last.delete(name);
      }
    },
  };
}
