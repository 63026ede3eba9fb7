import { describe, expect, test } from 'vitest';
import { isSystemGesture, optionAt, releasedOption, speedOf, springBack, transformAt } from './swipe.ts';

describe('a released swipe', () => {
  test.each([
    ['far to the left chooses A', -88, 0, 1],
    ['far to the right chooses B', 120, 0, 2],
    ['that is not far enough chooses nothing', 87, 0.4, null],
    ['that is fast chooses even after a short distance', 40, 0.6, 2],
    ['that is fast but has hardly moved chooses nothing', 12, 0.9, null],
    ['that moves back fast chooses nothing', -140, 0.7, null],
    ['that moves back slowly still chooses', -140, 0.2, 1],
  ] as const)('%s', (_title, distance, speed, option) => {
    expect(releasedOption(distance, speed)).toBe(option);
  });
});

test('the swiped card indicates an option as soon as a slow release would choose it', () => {
  expect([-200, -88, -87, 0, 87, 88].map(optionAt)).toEqual([1, 1, null, null, null, 2]);
});

test('the card moves by 35% of the swipe and tilts by at most seven degrees', () => {
  expect(transformAt(0)).toBe('translateX(0.00px) rotate(0.000deg)');
  expect(transformAt(-80)).toBe('translateX(-28.00px) rotate(-5.000deg)');
  expect(transformAt(400)).toBe('translateX(140.00px) rotate(7.000deg)');
});

test('a touch at an edge of the screen is a system gesture, a click there is not', () => {
  expect(isSystemGesture(23, 'touch', 375)).toBe(true);
  expect(isSystemGesture(352, 'touch', 375)).toBe(true);
  expect(isSystemGesture(24, 'touch', 375)).toBe(false);
  expect(isSystemGesture(5, 'mouse', 375)).toBe(false);
});

describe('the spring', () => {
  test('starts at the finger and ends in the middle within half a second', () => {
    const { distances, durationMs } = springBack(150, 0);
    expect(distances[0]).toBe(150);
    expect(distances.at(-1)).toBe(0);
    expect(durationMs).toBeGreaterThan(150);
    expect(durationMs).toBeLessThan(500);
  });

  test('first continues in the direction of the finger, and a card in the middle stays there', () => {
    expect(Math.max(...springBack(100, 2).distances)).toBeGreaterThan(100);
    expect(springBack(0, 0).distances.every((distance) => distance === 0)).toBe(true);
  });
});

test('the speed is the average over all samples, and 0 for a single sample', () => {
  expect(speedOf([{ x: 0, ms: 0 }])).toBe(0);
  expect(
    speedOf([
      { x: 10, ms: 100 },
      { x: 30, ms: 110 },
      { x: 60, ms: 150 },
    ]),
  ).toBe(1);
});
