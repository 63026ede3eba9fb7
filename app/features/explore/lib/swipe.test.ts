import { describe, expect, test } from 'vitest';
import { isSystemGesture, optionAt, releasedOption, speedOf, springBack, transformAt } from './swipe.ts';

describe('a finger that lets go', () => {
  test.each([
    ['far to the left chooses A', -88, 0, 1],
    ['far to the right chooses B', 120, 0, 2],
    ['not far enough chooses nothing', 87, 0.4, null],
    ['fast chooses after a short way', 40, 0.6, 2],
    ['fast, but hardly moved, chooses nothing', 12, 0.9, null],
    ['on its way back chooses nothing', -140, 0.7, null],
    ['on its slow way back still chooses', -140, 0.2, 1],
  ] as const)('%s', (_what, distance, speed, option) => {
    expect(releasedOption(distance, speed)).toBe(option);
  });
});

test('the card leans to an option once letting go would choose it', () => {
  expect([-200, -88, -87, 0, 87, 88].map(optionAt)).toEqual([1, 1, null, null, null, 2]);
});

test('the card follows a third of the way and tilts, by seven degrees at most', () => {
  expect(transformAt(0)).toBe('translateX(0.00px) rotate(0.000deg)');
  expect(transformAt(-80)).toBe('translateX(-28.00px) rotate(-5.000deg)');
  expect(transformAt(400)).toBe('translateX(140.00px) rotate(7.000deg)');
});

test('touches at the edges are the system’s, clicks there are not', () => {
  expect(isSystemGesture(23, 'touch', 375)).toBe(true);
  expect(isSystemGesture(352, 'touch', 375)).toBe(true);
  expect(isSystemGesture(24, 'touch', 375)).toBe(false);
  expect(isSystemGesture(5, 'mouse', 375)).toBe(false);
});

describe('the spring', () => {
  test('starts at the finger and ends in the middle within half a second', () => {
    const { positions, durationMs } = springBack(150, 0);
    expect(positions[0]).toBe(150);
    expect(positions.at(-1)).toBe(0);
    expect(durationMs).toBeGreaterThan(150);
    expect(durationMs).toBeLessThan(500);
  });

  test('goes on with the finger’s speed first', () => {
    expect(Math.max(...springBack(100, 2).positions)).toBeGreaterThan(100);
    expect(springBack(0, 0).positions.every((position) => position === 0)).toBe(true);
  });
});

test('the speed is that of the last places', () => {
  expect(speedOf([{ x: 0, ms: 0 }])).toBe(0);
  expect(
    speedOf([
      { x: 10, ms: 100 },
      { x: 30, ms: 110 },
      { x: 60, ms: 150 },
    ]),
  ).toBe(1);
});
