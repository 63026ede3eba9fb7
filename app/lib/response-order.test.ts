import { expect, test } from 'vitest';
import { createResponseOrder } from './response-order.ts';

test('a response is outdated once the response to a later request was accepted', () => {
  const order = createResponseOrder();
  const [earlier, later] = [order.send(), order.send()];
  expect([earlier.isOutdated(), later.isOutdated()]).toEqual([false, false]);
  later.accept();
  expect([earlier.isOutdated(), later.isOutdated()]).toEqual([true, false]);
});

test('a response is accepted although a later request has failed', () => {
  const order = createResponseOrder();
  const earlier = order.send();
  order.send();
  expect(earlier.isOutdated()).toBe(false);
});

test('responses to requests that were sent before the end of a change are outdated', () => {
  const order = createResponseOrder();
  const earlier = order.send();
  order.discardRunning();
  expect(earlier.isOutdated()).toBe(true);
  expect(order.send().isOutdated()).toBe(false);
});
