import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { Call } from '#shared/contract.ts';
import type { ErrorCode } from '#shared/errors.ts';

/** `isStopping` is set when a shutdown begins: readiness fails, requests in progress are finished. */
export type Lifecycle = { isStopping: boolean };

/** Node's response, with the headers that it gets unless the application sets others; names in lower case. */
export type AppResponse = ServerResponse & { readonly defaultHeaders: OutgoingHttpHeaders };

/** Who opened a socket: user and session, the client (as in `AppEnv`) and the id of the request. */
export type SocketOpener = { userId: number; sessionHash: string; client: string; requestId: string };

/** The environment of every handler: what the server passes in, and what middleware puts into `c.var`. */
export type AppEnv = {
  /** Undefined when a test calls the app without a server, although the type does not say so. */
  Bindings: {
    incoming?: IncomingMessage;
    /** Absent in an upgrade to a WebSocket, and in the calls of a batch, since Node has one response for the whole batch. */
    outgoing?: AppResponse | undefined;
    /** Accepts an upgrade to a WebSocket; absent in other requests. */
    accept?: (opener: SocketOpener) => void;
  };
  Variables: {
    requestId: string;
    /** The log of the process. `logOf` returns one that adds the id of the request. */
    log: Logger;
    /** The client as limits count it: an IPv4 address or a /64 IPv6 network. */
    client: string;
    /** The token of the session; null without a valid one. */
    sessionToken: string | null;
    user: UserRow | null;
    /** The id of the user whom a request without a session concerns; `reportSecurityEvent` reads it. */
    subjectId?: number;
    /** The call that the request was matched to. Set by `CallRouter`. */
    call?: Call;
    /** The error code of a failed request. */
    errorCode?: ErrorCode;
  };
};

export type AppContext = Context<AppEnv>;
