import { describe, expect, test } from 'vitest';
import { UnreachableError } from '#app/lib/api/api-error.ts';
import { LoggedOutError, NetworkFailure } from '#sync/client/engine-errors.ts';
import { isApplicationFault } from './fault.ts';

function named(name: string, message = ''): Error {
  return Object.assign(new Error(message), { name });
}

const uncaught = (error: unknown, source = 'https://thisorthat.example/assets/first.js') =>
  isApplicationFault({ kind: 'error', error, message: 'Uncaught Error', source });
const rejected = (reason: unknown) => isApplicationFault({ kind: 'rejection', reason });
const logged = (...values: unknown[]) => isApplicationFault({ kind: 'console', values });

describe('a broken app', () => {
  test('shows by an uncaught error or an unhandled rejection', () => {
    expect(uncaught(new TypeError("Cannot read properties of undefined (reading 'id')"))).toBe(true);
    expect(rejected(new Error('anything'))).toBe(true);
    expect(rejected('a string that was thrown')).toBe(true);
    expect(rejected(undefined)).toBe(true);
    expect(isApplicationFault({ kind: 'error', error: null, message: 'Uncaught x', source: '' })).toBe(true);
  });

  test('shows by an error in the console, or by words that only a fault writes', () => {
    expect(logged('something went wrong', new RangeError('out of range'))).toBe(true);
    expect(logged('Uncaught (in promise) boom')).toBe(true);
    expect(logged('Minified React error #185; visit …')).toBe(true);
    expect(logged('TypeError: x is not a function')).toBe(true);
  });

  test('does not show by any other line in the console', () => {
    expect(logged('The image was not found')).toBe(false);
    expect(logged({ status: 404 })).toBe(false);
    expect(logged()).toBe(false);
  });
});

describe('what never counts', () => {
  test.each([
    ['Chromium', new TypeError('Failed to fetch')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Safari', new TypeError('Load failed')],
    ['Safari on a train', new TypeError('The network connection was lost.')],
    ['a part of the app', new TypeError('Failed to fetch dynamically imported module: https://x/a.js')],
    ['a part of the app, in Safari', new TypeError('Importing a module script failed.')],
    ['a part of the app, in Firefox', new TypeError('error loading dynamically imported module: https://x')],
    ['an online call', new UnreachableError('api')],
    ['the engine', new NetworkFailure('No answer from the server')],
    ['what wraps one', new Error('could not load', { cause: new TypeError('Failed to fetch') })],
  ])('a network failure: %s', (_, error) => {
    expect(uncaught(error)).toBe(false);
    expect(rejected(error)).toBe(false);
    expect(logged('Request failed:', error)).toBe(false);
  });

  test.each([named('AbortError'), named('TimeoutError'), named('DatabaseClosedError'), new LoggedOutError()])(
    'an abort: $name',
    (error) => {
      expect(rejected(error)).toBe(false);
      expect(uncaught(error)).toBe(false);
    },
  );

  test('an abort as browsers make it', () => {
    expect(rejected(new DOMException('The user aborted a request.', 'AbortError'))).toBe(false);
  });

  test('browser extensions', () => {
    expect(uncaught(new Error('x'), 'chrome-extension://abc/content.js')).toBe(false);
    const inside = Object.assign(new Error('x'), {
      stack: 'Error: x\n  at moz-extension://abc/content.js:1:2',
    });
    expect(uncaught(inside)).toBe(false);
    expect(rejected(inside)).toBe(false);
    expect(rejected(new Error('Extension context invalidated.'))).toBe(false);
    expect(rejected(new Error('Could not establish connection. Receiving end does not exist.'))).toBe(false);
    expect(rejected('Object Not Found Matching Id:3, MethodName:update, ParamCount:4')).toBe(false);
    expect(
      logged(
        'Unchecked runtime.lastError: TypeError: The message port closed before a response was received.',
      ),
    ).toBe(false);
  });

  test('scripts of other sites and the browser itself', () => {
    expect(isApplicationFault({ kind: 'error', error: null, message: 'Script error.', source: '' })).toBe(
      false,
    );
    const loop = 'ResizeObserver loop completed with undelivered notifications.';
    expect(isApplicationFault({ kind: 'error', error: undefined, message: loop, source: '' })).toBe(false);
  });
});
