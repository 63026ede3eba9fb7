/** The storage quota of a device: some writes exceed it and fail, later ones succeed again. */
export class StorageQuota {
  #writesBefore = 0;
  #failingWrites = 0;

  /** Makes `count` writes fail after the next `after` writes. */
  failWrites({ after, count }: { after: number; count: number }): void {
    this.#writesBefore = after;
    this.#failingWrites = count;
  }

  /** Counts a write; returns whether it succeeds. */
  allowsWrite(): boolean {
    if (this.#failingWrites === 0) return true;
    if (this.#writesBefore > 0) {
      this.#writesBefore -= 1;
      return true;
    }
    this.#failingWrites -= 1;
    return false;
  }
}

/** The error that a browser throws. */
export class QuotaExceeded extends Error {
  override name = 'QuotaExceededError';
}
