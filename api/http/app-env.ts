import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { Call } from '#shared/contract.ts';
import type { ErrorCode } from '#shared/errors.ts';

/** `isStopping` is set when a shutdown begins: readiness fails, requests in progress are finished. */
export type Lifecycle = { isStopping: boolean };

/** The user and session that opened a socket, from which client (as below) and by which request. */
export type SocketOwner = { userId: number; sessionHash: string; client: string; requestId: string };

/** The environment of every handler: what the server passes in, and what middleware puts into `c.var`. */
export type AppEnv = {
  /** Absent when a test calls the app without a server. */
  Bindings: Partial<HttpBindings> & {
    /** Accepts an upgrade to a WebSocket; absent in other requests. */
    accept?: (owner: SocketOwner) => void;
  };
  Variables: {
    requestId: string;
    /** The log of the process; `logOf` gives that of a request. */
    log: Logger;
    /** The client as limits count it: an IPv4 address or a /64 IPv6 network. */
    client: string;
    /** The token of a valid session. */
    sessionToken: string | null;
    user: UserRow | null;
    /** The id of the user whom a request without a session is about, for `reportSecurityEvent`. */
    subjectId?: number;
    /** Set by `CallRouter`. */
    call?: Call;
    /** Set when the request was refused. */
    errorCode?: ErrorCode;
  };
};

export type AppContext = Context<AppEnv>;
