/** Checks that no row that a device shows its users goes back to an older revision. */
export class RevisionMonitor {
  #newest = new Map<string, number>();

  /** Describes the rows of a user that are older than those seen before in the same epoch of the server. */
  compare(
    { userId, epoch }: { userId: number; epoch: string | undefined },
    rows: readonly { id: string | number; rev: number }[],
  ): string[] {
    const violations: string[] = [];
    for (const { id, rev } of rows) {
      const key = `${userId} ${epoch} ${id}`;
      const before = this.#newest.get(key) ?? 0;
      if (rev < before) violations.push(`${id} went back from ${before} to ${rev}`);
      this.#newest.set(key, Math.max(before, rev));
    }
    return violations;
  }

  /** Called when the cache of a user was cleared. */
  forget(userId: number): void {
    this.#newest = new Map([...this.#newest].filter(([key]) => !key.startsWith(`${userId} `)));
  }
}
