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

/**
 * Sends a bulk upload with XMLHttpRequest: `fetch` reports no upload progress. Throws `ApiError` or
 * `UnreachableError`, or `AbortError` if `signal` aborts.
 */
export async function upload(options: Upload): Promise<ResponseOf<typeof uploadPolls, 202>> {
  const { form, headers, onProgress, signal } = options;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    xhr.open(uploadPolls.method, uploadPolls.path);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    xhr.onload = () => {
      const { status, statusText, responseText: text } = xhr;
      try {
        const ok = status >= 200 && status < 300;
        resolve(parseResponse(uploadPolls, { ok, status, statusText, text }, 202));
      } catch (error) {
        reject(error);
      }
    };
    xhr.onerror = () => reject(new UnreachableError('The server could not be reached'));
    xhr.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
    xhr.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    xhr.send(form);
  });
}
