import { writeFile } from 'node:fs/promises';
import { expect, type Page, type TestInfo } from '@playwright/test';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';
import { readQueue } from './testing/device-db.ts';
import { largePhoto } from './testing/photos.ts';
import { registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

const MB = 1024 * 1024;
/** The device shrinks photos until their long side has at most this length. */
const LONG_SIDE_MAX_PX = 1600;
/** An idle machine needs a tenth of this; a slow one that runs other tests at the same time needs half. */
const PREVIEW_MAX_MS = 10_000;
/** The limit in the title of the test; an idle machine needs a tenth of this. */
const QUEUED_MAX_MS = 1_000;

/** When something happened, and the duration of the longest task since `chosen`, in milliseconds. */
type Marks = { chosen: number; shown: number; submitted: number; queued: number; longestTask: number };

/** Records in `window.marks` when a file was chosen, its preview shown, the form submitted and the dialog closed. */
async function watchDialog(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const marks = { chosen: 0, shown: 0, submitted: 0, queued: 0, longestTask: 0 };
    Reflect.set(window, 'marks', marks);
    const record = (event: 'change' | 'load' | 'submit', mark: 'chosen' | 'shown' | 'submitted') => {
      // Of all images, only previews have a blob URL.
      const isRecorded = (target: EventTarget | null) =>
        event !== 'load' || (target instanceof HTMLImageElement && target.src.startsWith('blob:'));
      const listener = ({ target }: Event) => {
        if (isRecorded(target)) marks[mark] = performance.now();
      };
      document.addEventListener(event, listener, { capture: true });
    };
    record('change', 'chosen');
    record('load', 'shown');
    record('submit', 'submitted');
    new MutationObserver(() => {
      if (marks.submitted > 0 && marks.queued === 0 && document.querySelector('dialog') === null) {
        marks.queued = performance.now();
      }
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        if (marks.chosen > 0 && startTime > marks.chosen) {
          marks.longestTask = Math.max(marks.longestTask, duration);
        }
      }
    }).observe({ type: 'longtask' });
  });
}

const marksOf = (page: Page) => page.evaluate((): Marks => Reflect.get(window, 'marks'));

function expectDuration(info: TestInfo, type: string, ms: number, maxMs: number): void {
  info.annotations.push({ type, description: `${Math.round(ms)} ms` });
  expect(ms).toBeGreaterThan(0);
  expect(ms).toBeLessThan(maxMs);
}

/** Creates a poll with two 12-megapixel photos offline. Returns the queued images. */
async function queueLargePhotos(page: Page, info: TestInfo) {
  const buffer = await largePhoto();
  expect(buffer.length).toBeGreaterThan(4 * MB);
  expect(buffer.length).toBeLessThan(8 * MB);
  // A file on disk, as when it is chosen from a phone's gallery.
  const path = info.outputPath('IMG_12MP.jpg');
  await writeFile(path, buffer);
  await watchDialog(page);
  const { id } = await registerAndOpenHome(page, newName('lena'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill('Near or far?');
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  for (const letter of ['A', 'B']) {
    await dialog.getByLabel(`Add image ${letter}`).setInputFiles(path);
    await expect(dialog.getByRole('img', { name: `Option ${letter}` })).toBeVisible();
    // The image may be visible before its `load` event.
    await expect
      .poll(async () => {
        const { chosen, shown } = await marksOf(page);
        return shown > chosen;
      })
      .toBe(true);
    const { chosen, shown } = await marksOf(page);
    expectDuration(info, `image ${letter}, from choosing it to its preview`, shown - chosen, PREVIEW_MAX_MS);
  }
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  const queue = await readQueue(page, id);
  expect(queue.ops).toMatchObject([{ type: 'createPoll' }]);
  expect(queue.images).toHaveLength(2);
  for (const { bytes, width, height } of queue.images) {
    expect(bytes).toBeLessThan(IMAGE_MAX_BYTES);
    expect([width, height]).toEqual([LONG_SIDE_MAX_PX, (LONG_SIDE_MAX_PX / 4) * 3]);
  }
  const { submitted, queued, longestTask } = await marksOf(page);
  expectDuration(info, 'from Create Poll to queued', queued - submitted, QUEUED_MAX_MS);
  info.annotations.push({ type: 'longest task of the page', description: `${longestTask} ms` });
  info.annotations.push({
    type: 'photo, queued image',
    description: `${buffer.length} bytes, ${queue.images[0]?.bytes} bytes`,
  });
  return queue.images;
}

test('12-megapixel photos are shrunk in a worker, and their poll is queued within a second', async ({
  newUser,
}, info) => {
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  for (const { mime, magic } of await queueLargePhotos(page, info)) {
    expect(mime).toBe('image/webp');
    expect(magic).toMatch(/^RIFF.{4}WEBP$/s);
  }
  expect(workers).toEqual([
    expect.stringContaining('shrink-image.worker'),
    expect.stringContaining('shrink-image.worker'),
  ]);
});

test('a browser without OffscreenCanvas and WebP queues a JPEG', async ({ newUser }, info) => {
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'OffscreenCanvas');
    const { toBlob } = HTMLCanvasElement.prototype;
    // Safari creates a PNG, without an error.
    HTMLCanvasElement.prototype.toBlob = function toBlobWithoutWebp(done, type, quality) {
      toBlob.call(this, done, type === 'image/webp' ? 'image/png' : type, quality);
    };
  });
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  for (const { mime, magic } of await queueLargePhotos(page, info)) {
    expect(mime).toBe('image/jpeg');
    expect(magic.startsWith('\u00ff\u00d8\u00ff')).toBe(true);
  }
  expect(workers).toEqual([]);
});
