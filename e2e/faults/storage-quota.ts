/** The storage quota of a device: some writes exceed it and fail, later ones succeed again. */
export class StorageQuota {
  #writesBefore = 0;
  #writesFailing = 0;

  /** Lets `writesBefore` writes succeed and the next `writesFailing` fail. */
  failWrites(writesBefore: number, writesFailing: number): void {
    this.#writesBefore = writesBefore;
    this.#writesFailing = writesFailing;
  }

  /** Counts a write; returns whether it succeeds. */
  allowsWrite(): boolean {
    if (this.#writesFailing === 0) return true;
    if (this.#writesBefore > 0) {
      this.#writesBefore -= 1;
      return true;
    }
    this.#writesFailing -= 1;
    return false;
  }
}

/** The error that a browser throws. */
export class QuotaExceeded extends Error {
  override name = 'QuotaExceededError';
}
