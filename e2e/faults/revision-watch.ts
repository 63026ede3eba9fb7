/** Watches what a device shows its users: no row may go back to an older revision. */
export class RevisionWatch {
  #newest = new Map<string, number>();

  /**
   * Where rows that a user sees now are older than what the same user has seen before, in words. `history` names the user
   * and the epoch of the server.
   */
  compare(history: string, rows: readonly { id: string | number; rev: number }[]): string[] {
    const broken: string[] = [];
    for (const { id, rev } of rows) {
      const key = `${history}:${id}`;
      const before = this.#newest.get(key) ?? 0;
      if (rev < before) broken.push(`${id} went back from ${before} to ${rev}`);
      this.#newest.set(key, Math.max(before, rev));
    }
    return broken;
  }

  /** What a user has seen counts no more: the cache was cleared. */
  forget(userId: number): void {
    this.#newest = new Map([...this.#newest].filter(([key]) => !key.startsWith(`${userId} `)));
  }
}
