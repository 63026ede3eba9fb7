import { expect, test } from 'vitest';
import { bytesLabel } from './bytes-label.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_450_000, '1.5 MB'],
  [10_400_000, '10 MB'],
  [999_600_000, '1 GB'],
  [1_340_000_000, '1.3 GB'],
  [5_000_000_000_000_000, '5,000 TB'],
])('%d bytes are shown as %s', (bytes, label) => {
  expect(bytesLabel(bytes)).toBe(label);
});
