import { box, circle, ellipse, line, picture, shape } from './svg.ts';

function cloud(x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">${box(-90, -8, 180, 40, 20, '#fdf8ec')}${circle(-30, -10, 36, '#fdf8ec')}${circle(26, -18, 44, '#fdf8ec')}</g>`;
}

export function beach(): string {
  const stripes = ['#f2553d', '#fdf4e3', '#f2553d', '#fdf4e3', '#f2553d'].map((fill, index) => {
    const from = -140 + index * 56;
    return shape(`M${from} 0Q${from + 28} 30 ${from + 56} 0L0-118z`, fill);
  });
  return picture(
    '#7ecbf2',
    circle(456, 128, 62, '#ffe27a') +
      cloud(150, 122, 1) +
      cloud(330, 190, 0.6) +
      box(0, 258, 600, 150, 0, '#2a9fd0') +
      shape('M0 310c90-16 150 16 240 0s200-18 360 4v110H0z', '#44b7de') +
      shape('M0 402c110-44 210 20 330-14s190-30 270-10v222H0z', '#fff3d6') +
      shape('M0 426c110-40 210 22 330-12s190-28 270-8v194H0z', '#f6dca0') +
      shape('M0 530c160-50 330 40 600-20v90H0z', '#eecb84') +
      `<g transform="translate(196 300) rotate(-16)">${line('M0-110V210', '#9a6a3f', 12)}${stripes.join('')}</g>` +
      `<g transform="rotate(-8 380 520)">${box(300, 494, 170, 50, 8, '#4a55c8')}${box(330, 494, 18, 50, 0, '#fdf4e3')}${box(420, 494, 18, 50, 0, '#fdf4e3')}</g>`,
  );
}

function fir(x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">${shape('M0-150 44-76H20l42 66H28l46 68H-74l46-68h-34l42-66h-24z', '#221b3c')}</g>`;
}

export function mountains(): string {
  return picture(
    '#4b3b86',
    box(0, 130, 600, 120, 0, '#7c4b98') +
      box(0, 230, 600, 120, 0, '#c2628f') +
      box(0, 320, 600, 280, 0, '#ee8a7f') +
      circle(190, 300, 74, '#ffdf9b') +
      shape('M120 600 342 150l250 450z', '#6b4a8e') +
      shape('M342 150 262 312l40 22 34-30 36 40 30-28 36 12z', '#f6ecf7') +
      shape('M342 150 438 328l-36-12-30 28-14-16z', '#dccbe6') +
      shape('M-60 600 140 300l230 300z', '#54397a') +
      shape('M260 600 470 350l220 250z', '#432f68') +
      shape('M0 520c140-40 260 20 380-6s150-20 220-6v92H0z', '#2f2450') +
      fir(66, 510, 1) +
      fir(150, 540, 0.8) +
      fir(480, 520, 0.9) +
      fir(552, 500, 1.1),
  );
}

export function town(): string {
  const windows = (x: number, y: number, columns: number, rows: number) =>
    Array.from({ length: columns * rows }, (_, index) => {
      const isLit = (index * 7 + columns) % 3 !== 0;
      const [column, row] = [index % columns, Math.floor(index / columns)];
      return box(x + column * 44, y + row * 60, 24, 34, 5, isLit ? '#ffd977' : '#00000030');
    }).join('');
  return picture(
    '#27305f',
    circle(454, 126, 56, '#fff1c9') +
      circle(430, 112, 50, '#27305f') +
      [80, 190, 280, 360, 540]
        .map((x, index) => circle(x, 60 + ((index * 53) % 90), 4, '#ffffffaa'))
        .join('') +
      box(40, 240, 150, 360, 8, '#4a5596') +
      box(212, 150, 160, 450, 8, '#6272b8') +
      box(396, 290, 160, 310, 8, '#3f4985') +
      windows(68, 276, 3, 4) +
      windows(240, 188, 3, 5) +
      windows(424, 326, 3, 3) +
      ellipse(300, 620, 420, 84, '#1b2247') +
      box(0, 566, 600, 34, 0, '#1b2247'),
  );
}

export function countryside(): string {
  return picture(
    '#bfe3f5',
    circle(120, 120, 58, '#ffd75e') +
      cloud(420, 130, 1) +
      shape('M0 360c120-90 240-90 340-20s180 40 260-10v270H0z', '#a5d07f') +
      shape('M0 450c140-80 270-40 380 0s150 30 220 0v150H0z', '#7fb85f') +
      shape('M230 600c20-80 110-110 60-160l26-6c70 46-10 96 10 166z', '#f1dfae') +
      box(376, 330, 130, 108, 4, '#fdf3e0') +
      shape('M356 340 441 262l85 78z', '#d75a41') +
      box(424, 380, 34, 58, 4, '#8a5a3c') +
      box(390, 356, 26, 26, 4, '#7cc3e6') +
      box(468, 356, 26, 26, 4, '#7cc3e6') +
      [90, 168]
        .map(
          (x) =>
            line(`M${x} 470v-70`, '#7b5234', 16) +
            circle(x, 360, 56, '#4f9450') +
            circle(x + 22, 340, 34, '#5fa85d'),
        )
        .join(''),
  );
}
