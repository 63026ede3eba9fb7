import { expect, test } from 'vitest';
import { StorageFullError } from '#sync/client/cache/storage.ts';
import { LoggedOutError } from '#sync/client/engine-errors.ts';
import { OutboxFullError, PollAlreadySentError } from '#sync/client/outbox/outbox.ts';
import { BrowserTimeoutError } from '#sync/client/timeout.ts';
import { pollSaveError, saveErrorMessage } from './save-errors.ts';

test.each([
  ['a full device', /no space left/, new StorageFullError()],
  ['a full outbox', /Too many polls.*outbox/, new OutboxFullError()],
  ['a poll that is being sent', /This poll is already being sent/, new PollAlreadySentError()],
  ['storage that does not respond', /storage is not responding/, new BrowserTimeoutError()],
  ['a user who has logged out', /Log in/, new LoggedOutError()],
  ['any other error', /could not save it\. Please try again/, new TypeError('closed')],
  [
    'an error with a known name but no code',
    /could not save it/,
    Object.assign(new Error(), { name: 'OutboxFullError' }),
  ],
  ['a value that is not an error', /could not save it/, 'a string'],
])('%s has the message %s', (_case, message, error) => {
  expect(saveErrorMessage(error)).toMatch(message);
});

test('the toast about a poll that was not saved asks a visitor to log in, and explains the failure to a user', () => {
  expect(pollSaveError(new LoggedOutError())).toEqual({
    title: 'Login required',
    text: 'Please log in to create a poll',
  });
  expect(pollSaveError(new StorageFullError())).toMatchObject({
    title: 'Failed to create poll',
    text: expect.stringContaining('no space left'),
  });
});
