import { writeFile } from 'node:fs/promises';
import { expect, type Page, type TestInfo } from '@playwright/test';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';
import { readQueue } from './testing/device-db.ts';
import { newName } from './testing/people.ts';
import { largePhoto } from './testing/photos.ts';
import { joinIn, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

const MB = 1024 * 1024;
/** What the server takes of a long side without making it smaller. */
const LONG_SIDE_MAX_PX = 1600;
/** A quiet machine needs a third of it. */
const PREVIEW_PATIENCE_MS = 3_000;
/** What is promised; a quiet machine needs a tenth of it. */
const QUEUE_PATIENCE_MS = 1_000;

type Marks = { chosen: number; shown: number; submitted: number; queued: number; longestTask: number };

/** Notes on the page itself when a file was chosen, its preview shown, the form sent and the dialog gone. */
async function watchDialog(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const marks = { chosen: 0, shown: 0, submitted: 0, queued: 0, longestTask: 0 };
    Reflect.set(window, 'marks', marks);
    const note = (event: 'change' | 'load' | 'submit', mark: 'chosen' | 'shown' | 'submitted') => {
      const isOurs = (target: EventTarget | null) =>
        event !== 'load' || (target instanceof HTMLImageElement && target.src.startsWith('blob:'));
      const listener = ({ target }: Event) => {
        if (isOurs(target)) marks[mark] = performance.now();
      };
      document.addEventListener(event, listener, { capture: true });
    };
    note('change', 'chosen');
    note('load', 'shown');
    note('submit', 'submitted');
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

function report(info: TestInfo, type: string, ms: number, patienceMs: number): void {
  info.annotations.push({ type, description: `${Math.round(ms)} ms` });
  expect(ms).toBeGreaterThan(0);
  expect(ms).toBeLessThan(patienceMs);
}

/** Makes a poll of two 12-megapixel photos with no network, and gives back what the queue holds of it. */
async function queueLargePhotos(page: Page, info: TestInfo) {
  const buffer = await largePhoto();
  expect(buffer.length).toBeGreaterThan(4 * MB);
  expect(buffer.length).toBeLessThan(8 * MB);
  // From the disk, as a phone's gallery gives it.
  const path = info.outputPath('IMG_12MP.jpg');
  await writeFile(path, buffer);
  await watchDialog(page);
  const { id } = await joinIn(page, newName('lena'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill('Near or far?');
  await untilKept(page);
  await page.context().setOffline(true);
  for (const letter of ['A', 'B']) {
    await dialog.getByLabel(`Add image ${letter}`).setInputFiles(path);
    await expect(dialog.getByRole('img', { name: `Option ${letter}` })).toBeVisible();
    const { chosen, shown } = await marksOf(page);
    report(info, `image ${letter}, from choosing it to its preview`, shown - chosen, PREVIEW_PATIENCE_MS);
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
  report(info, 'from Create Poll to queued', queued - submitted, QUEUE_PATIENCE_MS);
  info.annotations.push({ type: 'longest task of the page', description: `${longestTask} ms` });
  info.annotations.push({
    type: 'photo, queued image',
    description: `${buffer.length} bytes, ${queue.images[0]?.bytes} bytes`,
  });
  return queue.images;
}

test('a 12-megapixel photo is made small beside the page and queued at once', async ({ newPerson }, info) => {
  const { page, watch } = await newPerson();
  watch.expectLosses();
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

test('a browser that can do neither OffscreenCanvas nor WebP queues a JPEG', async ({ newPerson }, info) => {
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'OffscreenCanvas');
    const { toBlob } = HTMLCanvasElement.prototype;
    // As Safari does it: without a word, a PNG.
    HTMLCanvasElement.prototype.toBlob = function toOther(done, type, quality) {
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
