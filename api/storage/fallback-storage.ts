import { settleAll } from './durable-files.ts';
import type { ImageStorage } from './image-storage.ts';

/** Two storages as one, while images move: new files go into `into`, and what is not there yet is read in `from`. */
export function createFallbackStorage(into: ImageStorage, from: ImageStorage): ImageStorage {
  /** Looked for in `into` again at the end: it may have moved meanwhile. */
  async function firstOf<Found>(
    find: (storage: ImageStorage) => Promise<Found | null>,
  ): Promise<Found | null> {
    return (await find(into)) ?? (await find(from)) ?? find(into);
  }

  return {
    stage: (folder) => into.stage(folder),
    open: (file) => firstOf((storage) => storage.open(file)),
    read: (file) => firstOf((storage) => storage.read(file)),
    exists: async (file) => (await firstOf(async (storage) => (await storage.exists(file)) || null)) !== null,

    // The other way round, the move could put the old one in the place of the new one.
    async replace(file, bytes) {
      await from.remove([file]);
      await into.replace(file, bytes);
    },

    remove: (files) => settleAll([into.remove(files), from.remove(files)]),

    async *list() {
      yield* into.list();
      yield* from.list();
    },

    async *listPublished() {
      yield* into.listPublished();
      yield* from.listPublished();
    },

    async *sizes() {
      yield* into.sizes();
      yield* from.sizes();
    },
  };
}
