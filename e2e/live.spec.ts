import { expect } from '@playwright/test';
import { voteAsNewUsers } from './testing/crowd.ts';
import { watchSocket } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, logIn, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('votes on other devices update counts, points and status on the screen', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const question = 'Moon or stars?';
  const name = newName('nora');
  const { page: maker } = await newUser();
  const { page: phone } = await newUser();
  const { page: laptop } = await newUser();
  await register(maker, newName('mika'));
  const poll = await postPoll(maker, question, { captions: ['Now', 'Later'] });
  const makerSocket = await watchSocket(maker);
  await maker.goto('/home');
  await makerSocket.isOpen;
  const phoneSocket = await watchSocket(phone);
  await registerAndOpenHome(phone, name);
  await phoneSocket.isOpen;
  const laptopSocket = await watchSocket(laptop);
  await laptop.goto('/auth?next=%2Fhome');
  await logIn(laptop, name);
  await expect(points(laptop)).toHaveText('11');
  await laptopSocket.isOpen;

  await test.step('the phone shows the point for the login', async () => {
    await expect(points(phone)).toHaveText('11');
  });

  await test.step('a vote on the phone shows on the laptop and on its maker’s screen', async () => {
    await expect(card(maker, question)).toContainText('0 votes');
    await card(phone, question).getByRole('button', { name: 'Later' }).click();
    await expect(card(maker, question)).toContainText('1 vote');
    await expect(points(laptop)).toHaveText('12');
    await expect(card(laptop, question)).toContainText('1 vote');
  });

  await test.step('the vote that completes the poll closes it on every screen', async () => {
    await voteAsNewUsers(server, poll.id, poll.responsesWanted - 1, 1);
    for (const page of [maker, phone, laptop]) {
      await expect(card(page, question)).toContainText('Completed');
    }
  });
});
