/** The `code` of the engine's errors. The app checks the code, not the class, because it loads the classes lazily. */
export type EngineErrorCode =
  | 'logged_out'
  | 'unreachable'
  | 'storage_full'
  | 'outbox_full'
  | 'poll_already_sent'
  | 'browser_timeout'
  | 'cancelled';

/** Nobody is logged in. */
export class LoggedOutError extends Error {
  override name = 'LoggedOutError';
  readonly code: EngineErrorCode = 'logged_out';
}

/** There was no complete response from the server. */
export class NetworkFailure extends Error {
  override name = 'NetworkFailure';
  readonly code: EngineErrorCode = 'unreachable';
}
