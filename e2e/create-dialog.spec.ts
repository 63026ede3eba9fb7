import { expect, type Locator } from '@playwright/test';
import { colourImage, phonePhoto } from './testing/photos.ts';
import { DESKTOP } from './testing/screens.ts';
import {
  DIALOG_CLOSED_WITHIN_MS,
  DIALOG_OPENED_WITHIN_MS,
  postPoll,
  register,
  registerAndOpenHome,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import {
  COLOURS,
  card,
  expectImages,
  fillPoll,
  newName,
  points,
  SMALL_PHOTO_PX,
} from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Sets `window.wasPending` once the submit button is disabled and says that the poll is being saved. */
async function recordPending(dialog: Locator): Promise<void> {
  await dialog.evaluate((form) => {
    const recordIfSaving = () => {
      const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
      if (button?.disabled && button.textContent === 'Saving…') Reflect.set(window, 'wasPending', true);
    };
    new MutationObserver(recordIfSaving).observe(form, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
}

test('Back and Escape close the dialog and keep the draft, while Close discards the draft, which Undo restores', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wanda'));
  const dialog = page.getByRole('dialog');
  const open = () => page.getByRole('button', { name: 'Create Poll' }).click();

  await open();
  await expect(dialog.getByLabel('Question')).toBeFocused();
  await dialog.getByLabel('Question').fill('Stay or go?');
  await dialog.getByLabel('Caption of option A').fill('Stay');
  await expect(dialog.getByText('A 4 / 80')).toBeVisible();
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
  // On Android, Back asks the dialog to close instead of going back in the history.
  await dialog.evaluate((element) => Reflect.apply(Reflect.get(element, 'requestClose'), element, []));
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
  // At a repeated request to close, browsers close the dialog without an event that the app could cancel.
  await dialog.evaluate((element: HTMLDialogElement) => element.close());
  await expect(page.locator('html')).not.toHaveClass(/has-modal/);
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await test.step('Undo offers the discarded draft again', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
    await expect(dialog.getByLabel('Caption of option A')).toHaveValue('Stay');
    await page.keyboard.press('Escape');
    await expect(page.locator('#main')).toBeFocused();
  });

  await open();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('');
});

test('the dialog stays open when the browser’s file picker is cancelled', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wendy'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill('Here or there?');
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true });
  const input = dialog.getByLabel('Add image A');
  const cancelled = input.evaluate(
    (element) => new Promise((resolve) => element.addEventListener('cancel', resolve, { once: true })),
  );
  await input.click();
  await cancelled;
  await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
  await expect(dialog.getByLabel('Question')).toHaveValue('Here or there?');
});

test('a double click on Create Poll opens one dialog, which one Back closes', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('walter'));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create Poll' }).dblclick();
  await expect(dialog.getByLabel('Question')).toBeFocused();
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  // The second click comes before the dialog of the first is rendered.
  await page.getByRole('button', { name: 'Create Poll' }).evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await expect(dialog.getByLabel('Question')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);
});

test('on a desktop, messages do not cover the dialog’s buttons', async ({ newUser }) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await registerAndOpenHome(page, newName('wim'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill('Over or under?');
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  const toast = dialog.getByText('Images required');
  for (const height of [800, 720, 640]) {
    await page.setViewportSize({ ...DESKTOP, height });
    await expect(toast).toBeInViewport();
    for (const name of ['Close', 'Cancel', 'Create Poll']) {
      const isCovered = await dialog.getByRole('button', { name, exact: true }).evaluate((button) => {
        const box = button.getBoundingClientRect();
        return [...document.querySelectorAll('dialog [role=status] > *')].some((message) => {
          const { left, right, top, bottom } = message.getBoundingClientRect();
          return left < box.right && box.left < right && top < box.bottom && box.top < bottom;
        });
      });
      expect(isCovered, `${name} at ${height} px`).toBe(false);
    }
  }
});

test('on a low screen the fields of the dialog can be used offline', async ({ newUser }) => {
  const { page, monitor } = await newUser({ viewport: { width: 320, height: 256 } });
  await registerAndOpenHome(page, newName('wolf'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Question')).toBeFocused();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(dialog.getByText('You are offline.')).toBeAttached();
  for (const field of [
    dialog.getByLabel('Question'),
    dialog.getByLabel('Caption of option B'),
    dialog.getByLabel('Responses wanted'),
    dialog.getByRole('button', { name: 'Create Poll' }),
  ]) {
    await field.focus();
    await expect(field).toBeInViewport({ ratio: 1 });
  }
});

test('Create Poll pressed while an image is being read creates the poll once the image is read', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('yara'));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/shrink-image\.worker/, async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  const question = newName('Sent or saved');
  await dialog.getByLabel('Question').fill(question);
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  for (const letter of ['A', 'B']) {
    const input = dialog.getByLabel(`Add image ${letter}`);
    await expect(input).toHaveAttribute('aria-invalid', 'true');
    const file = { name: `${letter}.jpg`, mimeType: 'image/jpeg', buffer: await colourImage('#c40') };
    await input.setInputFiles(file);
    await expect(input).toHaveAttribute('aria-invalid', 'false');
  }
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByRole('button', { name: 'Reading the image…' })).toBeDisabled();
  release();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Poll created!')).toBeVisible();
  await expectImages(card(page, question));
});

test('an error is shown until it is corrected, and an unreadable file neither replaces an image nor creates a poll', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('xaver'));
  const dialog = page.getByRole('dialog');
  const message = dialog.getByRole('status').last();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(message).toContainText('Question required');
  await dialog.getByLabel('Question').fill('In or out?');
  await expect(message).not.toContainText('Question required');

  const buffer = await phonePhoto(COLOURS.a.top, COLOURS.a.bottom, SMALL_PHOTO_PX);
  await dialog.getByLabel('Add image A').setInputFiles({ name: 'in.jpg', mimeType: 'image/jpeg', buffer });
  await expect(dialog.getByRole('img', { name: 'Option A' })).toBeVisible();
  await dialog
    .getByLabel('Replace image A')
    .setInputFiles({ name: 'note.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no image') });
  await expect(dialog.getByRole('alert')).toContainText('cannot read this file');
  await expect(dialog.getByRole('img', { name: 'Option A' })).toBeVisible();
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic');
  await dialog
    .getByLabel('Add image B')
    .setInputFiles({ name: 'IMG_1.HEIC', mimeType: 'image/heic', buffer: heic });
  await expect(dialog.getByRole('alert').filter({ hasText: 'HEIC' })).toContainText('Save it as a JPG');

  for (const letter of ['A', 'B']) {
    await dialog
      .getByLabel(new RegExp(`image ${letter}$`))
      .setInputFiles({ name: 'in.jpg', mimeType: 'image/jpeg', buffer });
    await expect(dialog.getByRole('img', { name: `Option ${letter}` })).toBeVisible();
  }
  await expect(dialog.getByRole('alert')).toBeHidden();
  const { promise: firstReleased, resolve: releaseFirst } = Promise.withResolvers<void>();
  const { promise: secondReleased, resolve: releaseSecond } = Promise.withResolvers<void>();
  const releases = [firstReleased, secondReleased];
  await page.route(/shrink-image\.worker/, async (route) => {
    await releases.shift();
    await route.continue();
  });
  await dialog
    .getByLabel('Replace image A')
    .setInputFiles({ name: 'note.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no image') });
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByRole('button', { name: 'Reading the image…' })).toBeDisabled();
  releaseFirst();
  await expect(dialog.getByRole('alert')).toContainText('cannot read this file');
  await expect(dialog.getByRole('button', { name: 'Create Poll' })).toBeEnabled();

  // The error of image A was shown before this submit, which waits for image B only.
  await dialog
    .getByLabel('Replace image B')
    .setInputFiles({ name: 'in.jpg', mimeType: 'image/jpeg', buffer });
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByRole('button', { name: 'Reading the image…' })).toBeDisabled();
  releaseSecond();
  await expect(dialog).toBeHidden();
});

test('the app shortcut for a new poll reports that the points are too few, and opens no dialog once they suffice', async ({
  newUser,
}) => {
  const { page } = await newUser();
  const { page: friend } = await newUser();
  const { referralCode } = await register(page, newName('yara'));
  await postPoll(page, 'Bus or tram?');
  await page.goto('/home?create=1');
  await expect(page.getByText('You need 10 points to create a poll')).toBeVisible();
  await expect(page).toHaveURL(/\/home$/);
  for (const name of ['zita', 'zuri']) await register(friend, newName(name), referralCode);
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await page.waitForTimeout(DIALOG_OPENED_WITHIN_MS);
  await expect(page.getByRole('dialog', { name: 'Create Poll' })).toBeHidden();
});

test('the app shortcut for a new poll opens the dialog if the points were earned while the app was closed', async ({
  newUser,
}) => {
  const { page } = await newUser();
  const { page: friend } = await newUser();
  const { referralCode } = await register(page, newName('yuki'));
  await postPoll(page, 'Tram or ferry?');
  await page.goto('/home');
  await expect(page.getByText('A poll costs at least 10 points.')).toBeVisible();
  await page.goto('about:blank');
  for (const name of ['zeno', 'zola']) await register(friend, newName(name), referralCode);
  await page.goto('/home?create=1');
  await expect(page.getByRole('dialog', { name: 'Create Poll' })).toBeVisible();
});

test('the create dialog offers only what the points pay for, and asks for missing input in order', async ({
  newUser,
}) => {
  const { page } = await newUser({ viewport: DESKTOP });
  const { page: friend } = await newUser();
  const { referralCode } = await registerAndOpenHome(page, newName('yuki'));
  for (const name of ['zeno', 'zora']) await register(friend, newName(name), referralCode);
  await expect(points(page)).toHaveText('20');
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  const message = dialog.getByRole('status').last();
  const submit = dialog.getByRole('button', { name: 'Create Poll' });
  const slider = dialog.getByLabel('Responses wanted');
  const open = () => page.getByRole('button', { name: 'Create Poll' }).click();
  await open();

  await test.step('durations and responses', async () => {
    await expect(dialog.getByRole('radio')).toHaveText(['1 day', '3 days', '7 days', '30 days']);
    await expect(dialog.getByRole('radio', { checked: true })).toHaveText('3 days');
    for (const [name, value] of [
      ['min', '10'],
      ['max', '20'],
      ['step', '1'],
    ] as const) {
      await expect(slider).toHaveAttribute(name, value);
    }
    await expect(slider).toHaveValue('10');
    await slider.press('ArrowRight');
    await expect(dialog.getByText('Costs 11 points')).toBeVisible();
    await expect(dialog.getByText('JPG, PNG, GIF, max 5MB.')).toBeVisible();
  });

  await test.step('a missing question is reported before missing images', async () => {
    await submit.click();
    await expect(message).toContainText('Question requiredPlease enter a question for your poll');
    await expect(page.getByText('Please enter a question for your poll')).toHaveCount(1);
    await expect(dialog.getByLabel('Question')).toHaveAccessibleDescription('What would you like to ask?');
    await expect(dialog.getByLabel('Question')).toHaveAttribute('aria-invalid', 'true');
    await expect(dialog.getByLabel('Add image A')).toHaveAttribute('aria-invalid', 'false');
    await dialog.getByLabel('Question').fill('Inside or outside?');
    await submit.click();
    await expect(message).toContainText('Images requiredPlease upload both images for your poll');
    await expect(dialog.getByLabel('Question')).toHaveAttribute('aria-invalid', 'false');
    for (const letter of ['A', 'B']) {
      await expect(dialog.getByLabel(`Add image ${letter}`)).toHaveAttribute('aria-invalid', 'true');
    }
  });

  await test.step('Cancel closes the dialog and clears it', async () => {
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await open();
    await expect(dialog.getByLabel('Question')).toHaveValue('');
    await expect(slider).toHaveValue('10');
  });

  await test.step('submitting disables the button and closes the dialog, which is empty the next time', async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await fillPoll(page, 'Early or late?');
    await recordPending(dialog);
    await submit.click();
    await expect(dialog).toBeHidden();
    expect(await page.evaluate(() => Reflect.get(window, 'wasPending'))).toBe(true);
    await expect(page.getByText('Poll created!')).toBeVisible();
    await expect(points(page)).toHaveText('10');
    await open();
    await expect(dialog.getByLabel('Question')).toHaveValue('');
    await expect(dialog.getByLabel('Add image A')).toBeAttached();
    await expect(slider).toHaveAttribute('max', '10');
    await expect(dialog.getByText('Vote to earn more points.')).toBeVisible();
  });

  await test.step('submitting is disabled once the points are spent on another poll', async () => {
    await expect(submit).toBeEnabled();
    await postPoll(page, 'Spent or saved?');
    await expect(submit).toBeDisabled();
    await expect(dialog.getByText('You have 0')).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('button', { name: 'Create Poll' })).toBeDisabled();
    await expect(page.getByText('A poll costs at least 10 points.')).toBeVisible();
  });
});

test('the Enter that confirms an IME conversion in Safari does not post the poll', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('yuki'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const question = page.getByRole('dialog').getByLabel('Question');
  await expect(question).toBeFocused();
  // Safari ends the composition before this key press, so only the key code tells that the IME handles the key.
  const isDefaultPrevented = await question.evaluate((field) => {
    const init = { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true };
    return !field.dispatchEvent(new KeyboardEvent('keydown', init));
  });
  expect(isDefaultPrevented).toBe(false);
  await expect(question).toHaveAttribute('aria-invalid', 'false');
  await question.press('Enter');
  await expect(question).toHaveAttribute('aria-invalid', 'true');
});
