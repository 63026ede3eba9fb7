/** Kills a tab at its n-th step. Each database operation is a step, and so are the start and the end of each network call. */
export type KillSwitch = {
  /** Steps left until the kill; null if the tab is not to be killed. */
  stepsLeft: number | null;
  /** Whether reads count as steps. A kill at a read leaves the same state as a kill at the next change. */
  countsReads: boolean;
  isDead: boolean;
};

/** The tab has been killed. */
export class TabKilled extends Error {
  override name = 'TabKilled';
}

/** Counts one step; throws if the tab has been killed. */
export function countStep(killSwitch: KillSwitch, isRead: boolean): void {
  if (killSwitch.stepsLeft !== null && (killSwitch.countsReads || !isRead)) {
    killSwitch.stepsLeft -= 1;
    if (killSwitch.stepsLeft < 0) killSwitch.isDead = true;
  }
  if (killSwitch.isDead) throw new TabKilled();
}
