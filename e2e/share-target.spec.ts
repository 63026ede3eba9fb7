import { expect, type Locator, type Page } from '@playwright/test';
import { SHARE_TARGET } from '#shared/service/constants.ts';
import { colourImage } from './testing/photos.ts';
import {
  DRAFT_STORED_WITHIN_MS,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, fillPoll, logIn, newName } from './testing/user-actions.ts';

type SharedFile = { name: string; type: string; bytes: Buffer };

async function photo(name: string, colour = '#c40'): Promise<SharedFile> {
  return { name, type: 'image/jpeg', bytes: await colourImage(colour) };
}

/** Submits files in a form, as the operating system does when another app shares them. */
async function share(page: Page, files: readonly SharedFile[]): Promise<void> {
  const sent = files.map(({ bytes, ...file }) => ({ ...file, base64: bytes.toString('base64') }));
  await page.evaluate(
    ({ sent, target }) => {
      const transfer = new DataTransfer();
      for (const { name, type, base64 } of sent) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type }));
      }
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: target.path, enctype: 'multipart/form-data' });
      const input = Object.assign(document.createElement('input'), { type: 'file', name: target.field });
      input.multiple = true;
      input.files = transfer.files;
      form.append(input);
      document.body.append(form);
      form.submit();
    },
    { sent, target: SHARE_TARGET },
  );
}

const createDialog = (page: Page) => page.getByRole('dialog', { name: 'Create Poll' });

async function expectPhotos(dialog: Locator, letters: readonly string[]): Promise<void> {
  for (const letter of letters) await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeAttached();
}

const hasReceivedPhotos = (page: Page) => page.evaluate(() => caches.has('received-photos'));

/** On every page loaded from now on, images are shrunk only once the returned function has been called. */
async function holdShrinking(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    Reflect.set(window, 'releaseWorkers', resolve);
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...sent: unknown[]) {
      void released.then(() => Reflect.apply(postMessage, this, sent));
    };
  });
  return () => page.evaluate(() => Reflect.get(window, 'releaseWorkers')());
}

/** Opens /home as a new user in a page that the service worker controls. */
async function openWithServiceWorker(page: Page, name: string): Promise<void> {
  await registerAndOpenHome(page, newName(name));
  await waitForServiceWorker(page);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
}

test('two shared photos open as the images of a new poll, even offline, and the poll is sent later', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await openWithServiceWorker(page, 'gala');
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await share(page, [await photo('left.jpg'), await photo('right.jpg', '#04c')]);
  const dialog = createDialog(page);
  await expectPhotos(dialog, ['A', 'B']);
  await expectImages(dialog);
  await dialog.getByLabel('Question').fill('Left or right?');
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page, 'Left or right?')).toContainText('Waiting to sync');
  await page.context().setOffline(false);
  await expect(page.getByText('Poll created!')).toBeVisible();
});

test('one shared photo becomes image A, and of three photos the first two are used, even after a reload', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'gerd');
  const dialog = createDialog(page);

  await share(page, [await photo('one.jpg')]);
  await expectPhotos(dialog, ['A']);
  await expect(dialog.getByLabel('Add image B')).toBeAttached();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await expect(dialog).toBeHidden();

  await share(page, [await photo('a.jpg'), await photo('b.jpg'), await photo('c.jpg')]);
  await expectPhotos(dialog, ['A', 'B']);
  await expect(dialog.getByRole('status').last()).toContainText('The first two photos are here');
  // Depending on the time of the reload, the photos are in the draft or still with the service worker.
  await page.reload();
  await expect(createDialog(page).or(page.getByRole('dialog', { name: 'You have a draft' }))).toBeVisible();
  const newPoll = page.getByRole('button', { name: 'New poll with the photos' });
  if (await newPoll.isVisible()) await newPoll.click();
  await expectPhotos(dialog, ['A', 'B']);
});

test('a shared file that is not an image shows an error, and the other photo is kept', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'gesa');
  await share(page, [
    { name: 'note.jpg', type: 'image/jpeg', bytes: Buffer.from('no image') },
    await photo('b.jpg'),
  ]);
  const dialog = createDialog(page);
  await expectPhotos(dialog, ['B']);
  await expect(dialog.getByRole('alert')).toContainText('A: This browser cannot read this file as an image');
});

test('a draft is kept until the user decides that the photos replace it', async ({ newUser }) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'gila');
  const dialog = createDialog(page);
  const conflict = page.getByRole('dialog', { name: 'You have a draft' });
  await fillPoll(page, 'Tent or hut?');
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);

  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await expect(conflict).toContainText('Tent or hut?');
  await test.step('closing the dialog without a choice keeps draft and photos', async () => {
    await page.keyboard.press('Escape');
    await expect(conflict).toBeHidden();
    await page.getByRole('button', { name: 'Create Poll' }).click();
    await expect(conflict).toBeVisible();
  });
  await test.step('the draft is kept', async () => {
    await conflict.getByRole('button', { name: 'Keep the draft' }).click();
    await expect(dialog.getByLabel('Question')).toHaveValue('Tent or hut?');
    await page.goBack();
    await expect(dialog).toBeHidden();
    await page.getByRole('button', { name: 'Create Poll' }).click();
    await expect(dialog.getByLabel('Question')).toHaveValue('Tent or hut?');
  });
  await test.step('the photos replace the draft', async () => {
    await share(page, [await photo('c.jpg'), await photo('d.jpg')]);
    await conflict.getByRole('button', { name: 'New poll with the photos' }).click();
    await expectPhotos(dialog, ['A', 'B']);
    await expect(dialog.getByLabel('Question')).toHaveValue('');
  });
});

test('photos that are still being read are kept if Back closes the dialog, and discarded by Close', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'golo');
  const dialog = createDialog(page);
  const release = await holdShrinking(page);

  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await dialog.getByLabel('Question').fill('This or that?');
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  expect(await hasReceivedPhotos(page)).toBe(true);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await release();
  await expectPhotos(dialog, ['A', 'B']);
  await expect(dialog.getByLabel('Question')).toHaveValue('This or that?');
  // The received photos are deleted once the draft contains them.
  await expect.poll(() => hasReceivedPhotos(page)).toBe(false);

  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await page.getByRole('button', { name: 'New poll with the photos' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => hasReceivedPhotos(page)).toBe(false);
});

test('photos whose draft cannot be stored are kept when Back closes the dialog', async ({ newUser }) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'gitta');
  const dialog = createDialog(page);
  await page.addInitScript(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...stored) {
      if (this.name === 'drafts') throw new DOMException('The quota is used up', 'QuotaExceededError');
      return Reflect.apply(put, this, stored);
    };
  });

  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await expectPhotos(dialog, ['A', 'B']);
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  await page.goBack();
  await expect(dialog).toBeHidden();
  expect(await hasReceivedPhotos(page)).toBe(true);
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expectPhotos(dialog, ['A', 'B']);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => hasReceivedPhotos(page)).toBe(false);
});

test('a visitor’s shared photos are in a new poll after the login', async ({ newUser }) => {
  const { page } = await newUser();
  const name = newName('gina');
  await register(page, name);
  await page.context().clearCookies();
  await page.goto('/auth');
  await waitForServiceWorker(page);
  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await expect(page).toHaveURL(/\/auth\?next=/);
  await logIn(page, name);
  await expectPhotos(createDialog(page), ['A', 'B']);
});

test('with too few points the shared photos wait, and a logout deletes them', async ({ newUser }) => {
  const { page } = await newUser();
  await openWithServiceWorker(page, 'greta');
  await postPoll(page, 'All of it?');
  await page.reload();
  await expect(page.getByText('A poll costs at least 10 points.')).toBeVisible();
  await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
  await expect(page.getByText('Insufficient points')).toBeVisible();
  await expect(page).toHaveURL(/\/home$/);
  expect(await hasReceivedPhotos(page)).toBe(true);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect.poll(() => hasReceivedPhotos(page)).toBe(false);
});

test.describe('without a service worker', () => {
  test.use({ serviceWorkers: 'block' });

  test('the server redirects to a new poll that says that the photos did not arrive', async ({ newUser }) => {
    const { page } = await newUser();
    await registerAndOpenHome(page, newName('gero'));
    await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
    await share(page, [await photo('a.jpg'), await photo('b.jpg')]);
    const dialog = createDialog(page);
    await expect(dialog.getByRole('status').last()).toContainText('The photos could not be loaded');
    await expect(dialog.getByLabel('Add image A')).toBeAttached();
  });
});
