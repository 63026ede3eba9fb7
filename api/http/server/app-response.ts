import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AppResponse, Lifecycle } from '#api/http/app-env.ts';
import { isBodyUnread } from './lingering-close.ts';

/**
 * Creates the class of all responses of a server. Their default headers are `headers` (names in lower case). A response has
 * `Connection: close` while the server is stopping, or if it precedes the end of the request's body. The rest of that body is
 * discarded and the connection closed (`lingering-close.ts`), so that no proxy sends its next request over it.
 *
 * The default headers are added here, because headers that middleware adds to a `Response` are copied and validated several times.
 */
export function createResponseClass(headers: Readonly<Record<string, string>>, lifecycle: Lifecycle) {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> implements AppResponse {
    readonly defaultHeaders: OutgoingHttpHeaders = { ...headers };

    override writeHead(statusCode: number, ...rest: unknown[]): this {
      // A copy: Node may reject the given headers, and then the adapter calls `writeHead` again for a response with 500.
      const all = { ...this.defaultHeaders };
      const isClosing = lifecycle.isStopping || isBodyUnread(this.req);
      const [given] = rest;
      if (rest.length <= 1 && isRecord(given) && this.getHeaderNames().length === 0) {
        for (const name in given) all[name.toLowerCase()] = given[name];
        if (isClosing) all.connection = 'close';
        return super.writeHead(statusCode, all);
      }
      // A response without headers of its own, or one of Node itself, which passes the headers of some refusals as an array.
      for (const name in all) if (!this.hasHeader(name)) this.setHeader(name, all[name] ?? '');
      if (isClosing) this.setHeader('connection', 'close');
      return super.writeHead(statusCode, ...(rest as []));
    }
  };
}

function isRecord(given: unknown): given is OutgoingHttpHeaders {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
