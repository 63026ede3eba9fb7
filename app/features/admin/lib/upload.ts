import { readAnswer } from '#app/lib/api/api-client.ts';
import { UnreachableError } from '#app/lib/api/api-error.ts';
import { uploadPolls } from '#shared/admin/contract.ts';
import type { AnswerOf } from '#shared/contract.ts';

type Upload = {
  form: FormData;
  headers: Readonly<Record<string, string>>;
  /** Told how much has been sent, from 0 to 1. */
  onProgress(share: number): void;
  signal: AbortSignal;
};

/** Uploads pictures for polls and tells how far it is, which fetch cannot. Throws as `request` does; what was stopped is an AbortError. */
export async function upload({
  form,
  headers,
  onProgress,
  signal,
}: Upload): Promise<AnswerOf<typeof uploadPolls, 202>> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open(uploadPolls.method, uploadPolls.path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status, statusText, responseText: text } = request;
      try {
        const ok = status >= 200 && status < 300;
        resolve(readAnswer(uploadPolls, { ok, status, statusText, text }, 202));
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
