import { box, circle, ellipse, line, picture, shape } from './svg.ts';

type SofaColours = { main: string; seat: string; dark: string; cushion: string };

function sofa({ main, seat, dark, cushion }: SofaColours): string {
  return (
    ellipse(300, 524, 250, 34, '#fbf3e6') +
    box(150, 486, 22, 40, 6, '#6b4a31') +
    box(428, 486, 22, 40, 6, '#6b4a31') +
    box(128, 296, 344, 170, 46, main) +
    line('M300 310v90', dark, 6) +
    box(84, 366, 78, 132, 36, dark) +
    box(438, 366, 78, 132, 36, dark) +
    box(140, 402, 320, 92, 24, seat) +
    line('M300 410v76', dark, 6) +
    `<g transform="rotate(-12 226 372)">${box(186, 330, 84, 84, 16, cushion)}</g>`
  );
}

function room(wall: string, floor: string, body: string): string {
  return picture(wall, box(0, 430, 600, 170, 0, floor) + body);
}

export function mustardSofa(): string {
  return room(
    '#f1e4d2',
    '#c8976c',
    circle(150, 140, 52, '#e8d3b6') +
      circle(150, 140, 26, '#f1e4d2') +
      box(316, 76, 130, 150, 6, '#ffffff') +
      shape('M336 206v-50a45 45 0 0 1 90 0v50z', '#d8694c') +
      sofa({ main: '#dba629', seat: '#e9b93f', dark: '#c28e17', cushion: '#fbf3e6' }),
  );
}

export function greenSofa(): string {
  const leaves = [-52, -22, 8, 38].map(
    (angle) =>
      `<g transform="translate(82 360) rotate(${angle})">${shape('M0 0C-34-60-26-130 0-170 26-130 34-60 0 0z', '#3f9163')}</g>`,
  );
  return room(
    '#d6e2de',
    '#b98a60',
    line('M452 0v110', '#5f574f', 6) +
      shape('M376 176a76 76 0 0 1 152 0z', '#fbe7b4') +
      ellipse(452, 176, 76, 12, '#f3cf6e') +
      leaves.join('') +
      shape('M46 352h72l-12 92H58z', '#d8694c') +
      sofa({ main: '#1f7a56', seat: '#2a8d66', dark: '#166043', cushion: '#f3b99f' }),
  );
}
