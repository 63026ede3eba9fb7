import { expect, test } from 'vitest';
import { StorageFullError } from '#sync/client/cache/storage.ts';
import { LoggedOutError } from '#sync/client/engine-errors.ts';
import { OutboxFullError, PollAlreadySentError } from '#sync/client/outbox/outbox.ts';
import { TimeLimitError } from '#sync/client/time-limit.ts';
import { pollSaveError, saveErrorMessage } from './save-errors.ts';

test.each([
  ['a device without room', new StorageFullError(), /no space left/],
  ['one poll more than may wait', new OutboxFullError(), /Too many polls.*outbox/],
  ['a poll that is on its way', new PollAlreadySentError(), /This poll is already being sent/],
  ['storage that does not answer', new TimeLimitError(), /storage does not answer/],
  ['nobody logged in any more', new LoggedOutError(), /Log in/],
  ['anything else', new TypeError('closed'), /could not keep it\. Please try again/],
  [
    'an error whose name alone is known',
    Object.assign(new Error(), { name: 'OutboxFullError' }),
    /could not keep it/,
  ],
  ['what is no error', 'a string', /could not keep it/],
])('%s has words of its own', (_, error, words) => {
  expect(saveErrorMessage(error)).toMatch(words);
});

test('a poll of nobody asks for a login, any other one says that it failed and why', () => {
  expect(pollSaveError(new LoggedOutError())).toEqual({
    title: 'Login required',
    text: 'Please log in to create a poll',
  });
  expect(pollSaveError(new StorageFullError())).toMatchObject({
    title: 'Failed to create poll',
    text: expect.stringContaining('no space left'),
  });
});
