/** The `code` of the engine's errors; the app checks it because it loads the error classes lazily. */
export type EngineErrorCode =
  | 'signed_out'
  | 'unreachable'
  | 'storage_full'
  | 'outbox_full'
  | 'poll_already_sent'
  | 'time_limit'
  | 'given_up';

/** Nobody is logged in. */
export class SignedOutError extends Error {
  override name = 'SignedOutError';
  readonly code: EngineErrorCode = 'signed_out';
}

/** No complete response from the server. */
export class NetworkFailure extends Error {
  override name = 'NetworkFailure';
  readonly code: EngineErrorCode = 'unreachable';
}
