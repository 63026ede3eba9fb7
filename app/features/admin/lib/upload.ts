import { parseResponse } from '#app/lib/api/api-client.ts';
import { UnreachableError } from '#app/lib/api/api-error.ts';
import { uploadPolls } from '#shared/admin/contract.ts';
import type { ResponseOf } from '#shared/contract.ts';

type Upload = {
  form: FormData;
  headers: Readonly<Record<string, string>>;
  /** `share` is from 0 to 1. */
  onProgress(share: number): void;
  signal: AbortSignal;
};

/** Sends a bulk upload with XMLHttpRequest: `fetch` reports no upload progress. Throws as `request` does, or `AbortError`. */
export async function upload(options: Upload): Promise<ResponseOf<typeof uploadPolls, 202>> {
  const { form, headers, onProgress, signal } = options;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(uploadPolls.method, uploadPolls.path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status, statusText, responseText: text } = request;
      try {
        const ok = status >= 200 && status < 300;
        resolve(parseResponse(uploadPolls, { ok, status, statusText, text }, 202));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new UnreachableError('The server could not be reached'));
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(form);
  });
}
