import type { App } from '#api/app.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';

/** A browser as the server sees it: keeps cookies, and sends `Origin` and `Sec-Fetch-Site`. */
export class TestClient {
  readonly #app: App;
  readonly #origin: string;
  readonly cookies = new Map<string, string>();

  constructor(app: App, origin: string) {
    this.#app = app;
    this.#origin = origin;
  }

  /** Sends a request to `path` and keeps the cookies of the response. Headers in `init` take precedence. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ 'Sec-Fetch-Site': 'same-origin' });
    if (init.method !== undefined && init.method !== 'GET') headers.set('Origin', this.#origin);
    if (this.cookies.size > 0) headers.set('Cookie', this.#cookieHeader());
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);

    const response = await this.#app.request(`${this.#origin}${path}`, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, { headers });
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send('POST', path, body, headers);
  }

  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send('PUT', path, body, headers);
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send('PATCH', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, { method: 'DELETE', headers });
  }

  #send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    if (body === undefined) return this.request(path, { method, headers });
    return this.request(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The header with an idempotency key, if there is one. */
export const keyHeader = (key?: string): Record<string, string> =>
  key === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: key };

export async function statusAndCode(
  pending: Response | Promise<Response>,
): Promise<[status: number, code: string | undefined]> {
  const response = await pending;
  return [response.status, (await response.json()).code];
}

export async function statusCodeAndMessage(
  response: Response,
): Promise<[status: number, code: string, message: string]> {
  const { code, message } = await response.json();
  return [response.status, code, message];
}

/** A POST request whose body is sent in two parts: `meanwhile` runs before the last byte, once the server has begun to read. */
export function slowPost(bytes: ArrayBuffer, meanwhile: () => Promise<unknown>): RequestInit {
  const parts = [bytes.slice(0, -1), bytes.slice(-1)];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = parts.shift();
        if (part === undefined) return controller.close();
        if (parts.length === 0) await meanwhile();
        controller.enqueue(new Uint8Array(part));
      },
    },
    // No part is produced before the server reads it.
    { highWaterMark: 0 },
  );
  // `RequestInit` lacks `duplex`.
  return { method: 'POST', body, ...{ duplex: 'half' } };
}
