import { box, circle, ellipse, line, picture, shape } from './svg.ts';

function wheel(x: number, y: number): string {
  const spokes = [0, 45, 90, 135]
    .map(
      (angle) =>
        `<path d="M-78 0H78" transform="translate(${x} ${y}) rotate(${angle})" stroke="#c9d4d8" stroke-width="3"/>`,
    )
    .join('');
  return (
    circle(x, y, 86, 'none', 'stroke="#2b2724" stroke-width="16"') +
    circle(x, y, 76, 'none', 'stroke="#fbf3e2" stroke-width="5"') +
    spokes +
    circle(x, y, 11, '#2b2724')
  );
}

export function bicycle(): string {
  return picture(
    '#fbd65b',
    circle(300, 270, 216, '#fce08a') +
      box(0, 490, 600, 110, 0, '#e9b93f') +
      ellipse(300, 492, 250, 14, '#00000016') +
      wheel(158, 396) +
      wheel(442, 396) +
      line('M158 396 254 246h144L286 396z', '#e2483d', 17) +
      line('M158 396H286L238 218', '#e2483d', 17) +
      line('M442 396 384 194', '#e2483d', 17) +
      line('M384 196c-6-26 22-34 54-30', '#2b2724', 15) +
      line('M206 212h68', '#2b2724', 22) +
      circle(286, 396, 28, '#2b2724') +
      circle(286, 396, 12, '#c9d4d8') +
      line('M286 396 312 446', '#2b2724', 10) +
      line('M298 448h34', '#2b2724', 12) +
      `<g>${box(398, 214, 92, 62, 14, '#a8673a')}${line('M402 234h84M402 252h84', '#8a5029', 6)}</g>`,
  );
}

export function tram(): string {
  const windows = [112, 206, 300, 394]
    .map(
      (x) =>
        box(x, 218, 78, 92, 12, '#bfe6f2') +
        shape(`M${x} ${294}l46-76h24l-56 92h-2a12 12 0 0 1-12-12z`, '#ffffff66'),
    )
    .join('');
  return picture(
    '#7c9cf0',
    box(36, 150, 80, 320, 0, '#6c8be2') +
      box(470, 110, 110, 360, 0, '#6c8be2') +
      box(250, 80, 90, 300, 0, '#7493e9') +
      box(0, 468, 600, 132, 0, '#4a5a8f') +
      line('M0 520h600', '#c9d1e6', 9) +
      line('M0 66h600', '#33406e', 5) +
      line('M246 158 292 70 340 158', '#33406e', 9) +
      box(76, 154, 448, 334, 44, '#e4572e') +
      box(76, 330, 448, 78, 0, '#fff3dd') +
      box(96, 196, 408, 134, 20, '#b83f1d') +
      windows +
      box(222, 166, 156, 24, 8, '#2b2724') +
      box(246, 172, 60, 12, 4, '#ffd23f') +
      circle(132, 444, 17, '#fff0b8') +
      circle(468, 444, 17, '#fff0b8') +
      box(110, 484, 380, 24, 10, '#2b2f45') +
      circle(180, 508, 20, '#20243a') +
      circle(420, 508, 20, '#20243a'),
  );
}

export function tent(): string {
  const stars = [
    [70, 80],
    [150, 150],
    [250, 60],
    [520, 210],
    [560, 90],
    [340, 120],
  ] as const;
  return picture(
    '#1f4d57',
    circle(450, 110, 52, '#fff1c9') +
      circle(428, 96, 46, '#1f4d57') +
      stars.map(([x, y]) => circle(x, y, 4, '#ffffffbb')).join('') +
      shape('M0 400c120-70 220-60 320-20s200 30 280-20v240H0z', '#2b6a5c') +
      shape('M0 480c160-40 420-40 600 10v110H0z', '#225647') +
      ellipse(300, 516, 236, 20, '#00000030') +
      shape('M300 190 84 512h432z', '#f2913d') +
      shape('M300 190 84 512h150z', '#f7a95f') +
      shape('M300 250 212 512h176z', '#ffdf8a') +
      shape('M300 250 212 512h50l38-150z', '#d9722a') +
      shape('M300 250 388 512h-50l-38-150z', '#d9722a') +
      line('M300 190l-14-24M300 190l14-24', '#7a4a24', 10) +
      shape('M466 470c-14-20-6-34 8-52 4 16 22 22 16 44 14-4 14 22-4 30h-18c-14-6-14-16-2-22z', '#ffd23f') +
      line('M444 498l64 12M508 498l-64 12', '#6b4a31', 11),
  );
}

export function caravan(): string {
  return picture(
    '#f6a5b8',
    circle(474, 120, 62, '#ffe58a') +
      shape('M0 420c150-40 420-50 600 0v180H0z', '#86c48a') +
      shape('M0 500c200-20 400-20 600 10v90H0z', '#6fb276') +
      ellipse(290, 508, 250, 16, '#00000018') +
      line('M500 462h74', '#4a4a55', 12) +
      shape(
        'M78 250c0-70 50-104 120-104h170c90 0 140 60 140 150v140c0 20-14 34-34 34H112c-20 0-34-14-34-34z',
        '#fff6e6',
      ) +
      shape('M78 330h430v106c0 20-14 34-34 34H112c-20 0-34-14-34-34z', '#2f9d99') +
      box(78, 318, 430, 16, 0, '#ffd04f') +
      box(124, 196, 130, 92, 16, '#9fd8ef') +
      shape('M124 272l76-76h34l-88 92h-6a16 16 0 0 1-16-16z', '#ffffff70') +
      box(360, 196, 104, 274, 18, '#fbe0c4') +
      box(380, 216, 64, 76, 12, '#9fd8ef') +
      circle(382, 350, 9, '#8a5a3c') +
      circle(210, 470, 48, '#2b2724') +
      circle(210, 470, 24, '#d5dade') +
      [108, 138, 168, 198, 228, 258]
        .map((x, index) => shape(`M${x} 166h30l-15 26z`, index % 2 === 0 ? '#e2483d' : '#ffd04f'))
        .join(''),
  );
}
