import { box, ellipse, line, picture, shape } from './svg.ts';

export function cactus(): string {
  const spines = [
    [272, 200],
    [328, 220],
    [280, 270],
    [324, 306],
    [276, 350],
    [326, 384],
    [176, 282],
    [424, 240],
  ] as const;
  return picture(
    '#f7d8b5',
    shape('M0 460h600v140H0z', '#e9bd8d') +
      shape('M600 60v300H420z', '#f9e2c8') +
      ellipse(306, 540, 150, 18, '#00000018') +
      line('M290 356h-76c-26 0-38-14-38-38v-56', '#3f9163', 58) +
      line('M310 316h76c26 0 38-14 38-38v-64', '#3f9163', 58) +
      box(230, 112, 140, 330, 70, '#4aa36f') +
      line('M266 170v230M300 150v260M334 170v230', '#3a8a5c', 7) +
      spines.map(([x, y]) => line(`M${x - 7} ${y}h14M${x} ${y - 7}v14`, '#fbf3e2', 4)).join('') +
      [0, 72, 144, 216, 288]
        .map((angle) => ellipse(300, 88, 17, 30, '#f0597f', `transform="rotate(${angle} 300 112)"`))
        .join('') +
      ellipse(300, 112, 15, 15, '#ffd23f') +
      shape('M190 406h220l-24 122c-2 8-8 12-16 12H230c-8 0-14-4-16-12z', '#d8694c') +
      box(176, 392, 248, 44, 14, '#e67c5e') +
      shape('M198 450h204l-6 30H204z', '#fff3dd'),
  );
}

function monsteraLeaf(
  x: number,
  y: number,
  turn: number,
  size: number,
  colour: string,
  dark: string,
): string {
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})">${shape(
    'M0 0C-34-8-72-30-92-66l44 6-56-34c-6-26-4-50 6-72l46 32-34-62c20-32 50-50 86-54 36 4 66 22 86 54l-34 62 46-32c10 22 12 46 6 72l-56 34 44-6C72-30 34-8 0 0z',
    colour,
  )}${line('M0 0V-206', dark, 7)}${line('M0-60l-40-22M0-60l40-22M0-112l-38-34M0-112l38-34', dark, 4)}</g>`;
}

export function monstera(): string {
  return picture(
    '#e8edf7',
    shape('M0 460h600v140H0z', '#cfd8ea') +
      shape('M0 40v280L200 40z', '#dde5f3') +
      ellipse(306, 540, 150, 18, '#00000016') +
      line('M300 420C296 340 270 300 222 270M300 420c4-90 40-130 90-150M300 420V240', '#2b6b46', 11) +
      monsteraLeaf(216, 284, -44, 0.8, '#2f8a5b', '#1f6943') +
      monsteraLeaf(392, 276, 42, 0.84, '#277a4f', '#1b5c3a') +
      monsteraLeaf(300, 262, 2, 0.92, '#3a9d69', '#247a4e') +
      shape('M204 404h192l-16 122c-2 8-8 14-16 14H236c-8 0-14-6-16-14z', '#f5b53c') +
      shape('M340 404h56l-16 122c-2 8-8 14-16 14h-50c16 0 22-6 24-18z', '#dc9a22') +
      line('M218 446h164M222 480h156', '#fff3dd', 8),
  );
}
