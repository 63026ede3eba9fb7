import type { DBCore, Dexie } from 'dexie';

/** Kills a tab at its n-th step: every database operation and every network call is one. */
export type KillSwitch = {
  /** Steps left until the end; null for a tab that lives on. */
  stepsLeft: number | null;
  isDead: boolean;
};

/** The tab has been killed. */
export class TabKilled extends Error {
  override name = 'TabKilled';
}

export function killSwitch(stepsLeft: number | null): KillSwitch {
  return { stepsLeft, isDead: false };
}

/** One step: throws when the tab is dead by now. */
export function step(killer: KillSwitch): void {
  if (killer.stepsLeft !== null) {
    killer.stepsLeft -= 1;
    if (killer.stepsLeft < 0) killer.isDead = true;
  }
  if (killer.isDead) throw new TabKilled();
}

/** Counts every operation of `db` as a step. An operation of a dead tab fails and takes its transaction along. */
export function watchSteps(db: Dexie, killer: KillSwitch): void {
  db.use({
    stack: 'dbcore',
    name: 'kill-switch',
    create(core: DBCore): DBCore {
      return {
        ...core,
        table(name) {
          const table = core.table(name);
          const guard =
            <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
            async (...args: Args): Promise<Result> => {
              step(killer);
              return run(...args);
            };
          return {
            ...table,
            mutate: guard(table.mutate),
            get: guard(table.get),
            getMany: guard(table.getMany),
            query: guard(table.query),
            openCursor: guard(table.openCursor),
            count: guard(table.count),
          };
        },
      };
    },
  });
}
