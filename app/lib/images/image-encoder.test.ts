import { describe, expect, test } from 'vitest';
import { fitWithin } from './image-encoder.ts';

describe('a shrunk image', () => {
  test('has at most the given long side, in either orientation', () => {
    expect(fitWithin({ width: 4032, height: 3024 }, 1600)).toEqual({ width: 1600, height: 1200 });
    expect(fitWithin({ width: 3024, height: 4032 }, 1600)).toEqual({ width: 1200, height: 1600 });
  });

  test('is not enlarged if it was smaller', () => {
    expect(fitWithin({ width: 300, height: 200 }, 1600)).toEqual({ width: 300, height: 200 });
  });

  test('is at least one pixel high', () => {
    expect(fitWithin({ width: 10_000, height: 2 }, 1600)).toEqual({ width: 1600, height: 1 });
  });
});
