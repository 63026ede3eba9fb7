import { expect, test } from 'vitest';
import { StorageFullError } from '#sync/client/cache/storage.ts';
import { LoggedOutError } from '#sync/client/engine-errors.ts';
import { OutboxFullError, PollAlreadySentError } from '#sync/client/outbox/outbox.ts';
import { BrowserTimeoutError } from '#sync/client/timeout.ts';
import { pollSaveError, saveErrorMessage } from './save-errors.ts';

test.each([
  ['a full device', new StorageFullError(), /no space left/],
  ['a full outbox', new OutboxFullError(), /Too many polls.*outbox/],
  ['a poll that is being sent', new PollAlreadySentError(), /This poll is already being sent/],
  ['storage that does not respond', new BrowserTimeoutError(), /storage is not responding/],
  ['a user who has logged out', new LoggedOutError(), /Log in/],
  ['any other error', new TypeError('closed'), /could not save it\. Please try again/],
  [
    'an error with a known name but no code',
    Object.assign(new Error(), { name: 'OutboxFullError' }),
    /could not save it/,
  ],
  ['a value that is not an error', 'a string', /could not save it/],
])('%s has its own message', (_, error, message) => {
  expect(saveErrorMessage(error)).toMatch(message);
});

test('the toast about an unsaved poll asks a visitor to log in, and tells a user why it was not saved', () => {
  expect(pollSaveError(new LoggedOutError())).toEqual({
    title: 'Login required',
    text: 'Please log in to create a poll',
  });
  expect(pollSaveError(new StorageFullError())).toMatchObject({
    title: 'Failed to create poll',
    text: expect.stringContaining('no space left'),
  });
});
