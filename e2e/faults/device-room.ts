/** The room on a device: some writes fail for want of it, and later ones go through again. */
export class DeviceRoom {
  #writesBefore = 0;
  #writesFailing = 0;

  /** After so many writes, so many fail. */
  runOut(writesBefore: number, writesFailing: number): void {
    this.#writesBefore = writesBefore;
    this.#writesFailing = writesFailing;
  }

  /** Counts a write, and tells whether there is room for it. */
  takesWrite(): boolean {
    if (this.#writesFailing === 0) return true;
    if (this.#writesBefore > 0) {
      this.#writesBefore -= 1;
      return true;
    }
    this.#writesFailing -= 1;
    return false;
  }
}

/** What a browser says when there is no room. */
export class QuotaExceeded extends Error {
  override name = 'QuotaExceededError';
}
