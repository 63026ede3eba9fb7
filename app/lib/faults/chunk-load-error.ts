const CHUNK_LOAD_MESSAGE =
  /dynamically imported module|importing a module script failed|unable to preload css/i;

export function isChunkLoadMessage(message: string): boolean {
  return CHUNK_LOAD_MESSAGE.test(message);
}

/** Whether a chunk of the app could not be loaded. `React.lazy` caches such a failure until the page is reloaded. */
export function isChunkLoadError(error: unknown): boolean {
  return error instanceof Error && isChunkLoadMessage(error.message);
}
