import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { Call } from '#shared/contract.ts';

/** Whose socket it is, and by which session. */
export type SocketOwner = { userId: number; sessionHash: string };

/** What middleware leaves for the handlers in `c.var`. */
export type AppEnv = {
  /** Absent when a test calls the app without a server. */
  Bindings: Partial<HttpBindings> & {
    /** Makes a socket of this connection once the answer is there; absent in a plain request. */
    accept?: (who: SocketOwner) => void;
  };
  Variables: {
    requestId: string;
    log: Logger;
    /** Who a limit counts: an IPv4 address or an IPv6 network of 64 bits. */
    client: string;
    /** The token of the session, once it is known to be good. */
    sessionToken: string | null;
    user: UserRow | null;
    /** Set once a handler has the request. */
    call?: Call;
  };
};

export type AppContext = Context<AppEnv>;
