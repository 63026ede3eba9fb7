import type { OpenImage } from './open-image.ts';

/** Files of images that are stored and that nothing refers to yet. */
export type StagedFiles = {
  /** Adds a file with these bytes, or a copy of the file at this path. Bytes are stored durably when the promise resolves. */
  add(file: string, content: Buffer | string): Promise<void>;
  /** Makes the files readable, durably. To be called in the transaction that stores their names. */
  publish(): Promise<void>;
  /** Removes all files, published or not. Throws no errors: what cannot be removed is left to the sweep. */
  discard(): Promise<void>;
};

/** Stores the files of images by name (`<hex>.webp`, `<hex>-480.webp`). */
export type ImageStorage = {
  /**
   * Begins to store files that belong together. A storage that is a folder keeps them in `folder` until they are published, by
   * default in the folder of unfinished uploads, which is swept.
   */
  stage(folder?: string): StagedFiles;
  /** Opens a file; null when there is none of this name. */
  open(file: string): Promise<OpenImage | null>;
  /** All bytes of a file; null when there is none of this name. */
  read(file: string): Promise<Buffer | null>;
  exists(file: string): Promise<boolean>;
  /** Replaces or creates a file, without staging it. */
  replace(file: string, bytes: Buffer): Promise<void>;
  /** Removes files; missing files are ignored. */
  remove(files: readonly string[]): Promise<void>;
  /** The names of all files. */
  list(): AsyncIterable<string>;
  /** The names of all files, except those that a running transaction may still publish. */
  listPublished(): AsyncIterable<string>;
  /** The bytes that each file takes; a file with several names is counted once. */
  sizes(): AsyncIterable<number>;
};
