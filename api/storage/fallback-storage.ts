import { settleAll } from './durable-files.ts';
import type { ImageStorage } from './image-storage.ts';

/**
 * Two storages as one, while images are moved: new files are stored in `into`, and files that are not moved yet are read from
 * `from`.
 */
export function createFallbackStorage(into: ImageStorage, from: ImageStorage): ImageStorage {
  /** Looks in `into` again at the end, since the file may have been moved in between. */
  async function firstOf<Result>(
    find: (storage: ImageStorage) => Promise<Result | null>,
  ): Promise<Result | null> {
    return (await find(into)) ?? (await find(from)) ?? find(into);
  }

  async function* both<Item>(list: (storage: ImageStorage) => AsyncIterable<Item>) {
    yield* list(into);
    yield* list(from);
  }

  return {
    stage: (folder) => into.stage(folder),
    open: (file) => firstOf((storage) => storage.open(file)),
    read: (file) => firstOf((storage) => storage.read(file)),

    async exists(file) {
      const holder = await firstOf(async (storage) => ((await storage.exists(file)) ? storage : null));
      return holder !== null;
    },

    // In the opposite order, a move that reads the old file in between would replace the new one with it.
    async replace(file, bytes) {
      await from.remove([file]);
      await into.replace(file, bytes);
    },

    remove: (files) => settleAll([into.remove(files), from.remove(files)]),

    list: () => both((storage) => storage.list()),
    listPublished: () => both((storage) => storage.listPublished()),
    sizes: () => both((storage) => storage.sizes()),
  };
}
