/** Kills a tab at its n-th step: every database operation and every network call is one. */
export type KillSwitch = {
  /** Steps left until the end; null for a tab that lives on. */
  stepsLeft: number | null;
  /** Whether reads are steps too. A tab that is killed at a read leaves what it leaves when it is killed at its next change. */
  countsReads: boolean;
  isDead: boolean;
};

/** The tab has been killed. */
export class TabKilled extends Error {
  override name = 'TabKilled';
}

/** One step: throws when the tab is dead by now. */
export function step(killer: KillSwitch, isRead: boolean): void {
  if (killer.stepsLeft !== null && (killer.countsReads || !isRead)) {
    killer.stepsLeft -= 1;
    if (killer.stepsLeft < 0) killer.isDead = true;
  }
  if (killer.isDead) throw new TabKilled();
}
