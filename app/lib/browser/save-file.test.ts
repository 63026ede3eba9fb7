import { expect, test, vi } from 'vitest';
import { saveFile } from './save-file.ts';

test('a file remains available for a while, since some browsers start the download late', () => {
  vi.useFakeTimers();
  const link = { click: vi.fn(), href: '' };
  vi.stubGlobal('document', { createElement: () => link });
  const revoke = vi.spyOn(URL, 'revokeObjectURL');
  saveFile(new Blob(['7KQ2-M4XP']), 'codes.txt');
  expect(link).toMatchObject({ download: 'codes.txt', href: expect.stringMatching(/^blob:/) });
  expect(link.click).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(30_000);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(revoke).toHaveBeenCalledExactlyOnceWith(link.href);
});
