import type * as z from 'zod/mini';
import { readAnswer } from '#app/lib/api/api-client.ts';
import { UnreachableError } from '#app/lib/api/api-error.ts';

type Upload<Shape> = {
  path: string;
  form: FormData;
  headers: Readonly<Record<string, string>>;
  shape: z.ZodMiniType<Shape>;
  /** Told how much has been sent, from 0 to 1. */
  onProgress(share: number): void;
  signal: AbortSignal;
};

/** Sends a form and tells how far it is, which fetch cannot. Throws as `call` does; what was stopped is an AbortError. */
export async function upload<Shape>(options: Upload<Shape>): Promise<Shape> {
  const { path, form, headers, shape, onProgress, signal } = options;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open('POST', path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status, statusText, responseText: text } = request;
      try {
        resolve(readAnswer(path, { ok: status >= 200 && status < 300, status, statusText, text }, shape));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new UnreachableError('The server could not be reached'));
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop);
    request.send(form);
  });
}
