const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** "1.4 GB", in powers of 1000. */
export function bytesLabel(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // From 999.5 on, a value would be rounded to 1,000, and from 9.95 on to 10.0.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 9.95 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${rounded.toLocaleString('en-GB')} ${UNITS[unit] ?? 'bytes'}`;
}
