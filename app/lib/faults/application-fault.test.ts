import { describe, expect, test } from 'vitest';
import { UnreachableError } from '#app/lib/api/api-error.ts';
import { LoggedOutError, NetworkFailure } from '#sync/client/engine-errors.ts';
import { isApplicationFault } from './application-fault.ts';

function errorNamed(name: string, message = ''): Error {
  return Object.assign(new Error(message), { name });
}

const isFaultIfUncaught = (error: unknown, source = 'https://thisorthat.example/assets/first.js') =>
  isApplicationFault({ kind: 'error', error, message: 'Uncaught Error', source });
const isFaultIfRejected = (reason: unknown) => isApplicationFault({ kind: 'rejection', reason });
const isFaultIfLogged = (...values: unknown[]) => isApplicationFault({ kind: 'console', values });

describe('faults of the app', () => {
  test('include uncaught errors and unhandled rejections', () => {
    expect(isFaultIfUncaught(new TypeError("Cannot read properties of undefined (reading 'id')"))).toBe(true);
    expect(isFaultIfRejected(new Error('anything'))).toBe(true);
    expect(isFaultIfRejected('a string that was thrown')).toBe(true);
    expect(isFaultIfRejected(undefined)).toBe(true);
    expect(isApplicationFault({ kind: 'error', error: null, message: 'Uncaught x', source: '' })).toBe(true);
  });

  test('include errors in the console, and console messages of programming errors', () => {
    expect(isFaultIfLogged('something went wrong', new RangeError('out of range'))).toBe(true);
    expect(isFaultIfLogged('Uncaught (in promise) boom')).toBe(true);
    expect(isFaultIfLogged('Minified React error #185; visit …')).toBe(true);
    expect(isFaultIfLogged('TypeError: x is not a function')).toBe(true);
  });

  test('do not include other console messages', () => {
    expect(isFaultIfLogged('The image was not found')).toBe(false);
    expect(isFaultIfLogged({ status: 404 })).toBe(false);
    expect(isFaultIfLogged()).toBe(false);
  });
});

describe('an error is not a fault of the app if it is', () => {
  test.each([
    ['Chromium', new TypeError('Failed to fetch')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Safari', new TypeError('Load failed')],
    ['Safari, connection lost', new TypeError('The network connection was lost.')],
    ['a chunk of the app', new TypeError('Failed to fetch dynamically imported module: https://x/a.js')],
    ['a chunk of the app, in Safari', new TypeError('Importing a module script failed.')],
    ['a chunk of the app, in Firefox', new TypeError('error loading dynamically imported module: https://x')],
    ['an online call', new UnreachableError('api')],
    ['the engine', new NetworkFailure('No response from the server')],
    [
      'an error caused by a network failure',
      new Error('could not load', { cause: new TypeError('Failed to fetch') }),
    ],
  ])('a network failure: %s', (_, error) => {
    expect(isFaultIfUncaught(error)).toBe(false);
    expect(isFaultIfRejected(error)).toBe(false);
    expect(isFaultIfLogged('Request failed:', error)).toBe(false);
  });

  test.each([
    errorNamed('AbortError'),
    errorNamed('TimeoutError'),
    errorNamed('DatabaseClosedError'),
    new LoggedOutError(),
  ])('an expected error: $name', (error) => {
    expect(isFaultIfRejected(error)).toBe(false);
    expect(isFaultIfUncaught(error)).toBe(false);
  });

  test('an abort as a DOMException', () => {
    expect(isFaultIfRejected(new DOMException('The user aborted a request.', 'AbortError'))).toBe(false);
  });

  test('caused by a browser extension', () => {
    expect(isFaultIfUncaught(new Error('x'), 'chrome-extension://abc/content.js')).toBe(false);
    const inside = Object.assign(new Error('x'), {
      stack: 'Error: x\n  at moz-extension://abc/content.js:1:2',
    });
    expect(isFaultIfUncaught(inside)).toBe(false);
    expect(isFaultIfRejected(inside)).toBe(false);
    expect(isFaultIfRejected(new Error('Extension context invalidated.'))).toBe(false);
    expect(
      isFaultIfRejected(new Error('Could not establish connection. Receiving end does not exist.')),
    ).toBe(false);
    expect(isFaultIfRejected('Object Not Found Matching Id:3, MethodName:update, ParamCount:4')).toBe(false);
    expect(
      isFaultIfLogged(
        'Unchecked runtime.lastError: TypeError: The message port closed before a response was received.',
      ),
    ).toBe(false);
  });

  test('thrown by a script of another origin, or about a ResizeObserver loop', () => {
    expect(isApplicationFault({ kind: 'error', error: null, message: 'Script error.', source: '' })).toBe(
      false,
    );
    const loop = 'ResizeObserver loop completed with undelivered notifications.';
    expect(isApplicationFault({ kind: 'error', error: undefined, message: loop, source: '' })).toBe(false);
  });
});
