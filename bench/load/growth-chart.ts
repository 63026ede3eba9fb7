/** The medians of one call in the databases, from the smallest to the largest, in milliseconds. */
type Growth = { name: string; ms: readonly number[] };

const WIDTH = 680;
const HEIGHT = 300;
const PLOT = { left: 48, right: 380, top: 20, bottom: 260 };
const COLOURS = [
  ...['#c2410c', '#0369a1', '#15803d', '#7e22ce', '#a16207', '#be123c', '#475569'],
  ...['#0f766e', '#4d7c0f', '#1d4ed8', '#7c2d12', '#a21caf', '#111827'],
];
const LABEL_HEIGHT = 20;

/** Draws an SVG line chart with a line for each call. The sizes are spaced equally, as on a logarithmic scale. */
export function drawGrowth(sizes: readonly number[], calls: readonly Growth[]): string {
  const max = Math.max(...calls.flatMap(({ ms }) => ms)) * 1.1;
  const x = (sizeIndex: number) => PLOT.left + ((PLOT.right - PLOT.left) * sizeIndex) / (sizes.length - 1);
  const y = (ms: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * ms) / max;
  const text = (at: { x: number; y: number }, content: string, attributes = '') =>
    `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" ${attributes}>${content}</text>`;
  const lines = calls.flatMap(({ name, ms }, callIndex) => {
    const colour = COLOURS[callIndex % COLOURS.length];
    const points = ms
      .map((value, sizeIndex) => `${x(sizeIndex).toFixed(1)},${y(value).toFixed(1)}`)
      .join(' ');
    const label = `${name}: ${ms.map((value) => value.toFixed(1)).join(', ')} ms`;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      text({ x: PLOT.right + 12, y: PLOT.top + 12 + callIndex * LABEL_HEIGHT }, label, `fill="${colour}"`),
    ];
  });
  const axes = `<path d="M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}" fill="none" stroke="#64748b"/>`;
  const ticks = [
    ...sizes.map((size, sizeIndex) =>
      text({ x: x(sizeIndex), y: PLOT.bottom + 18 }, size.toLocaleString('en'), 'text-anchor="middle"'),
    ),
    text({ x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 34 }, 'polls', 'text-anchor="middle"'),
    ...[0, max / 2, max].map((ms) =>
      text({ x: PLOT.left - 6, y: y(ms) + 4 }, `${ms.toFixed(0)} ms`, 'text-anchor="end"'),
    ),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="10" fill="#64748b">`,
    '<title>Milliseconds of each call in databases of different sizes</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    axes,
    ...ticks,
    ...lines,
    '</svg>\n',
  ].join('\n');
}
