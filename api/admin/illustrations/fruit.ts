import { circle, ellipse, line, picture, shape } from './svg.ts';

export function strawberry(): string {
  const seeds = [
    [232, 300],
    [300, 282],
    [368, 300],
    [216, 352],
    [268, 344],
    [332, 344],
    [384, 352],
    [244, 400],
    [300, 396],
    [356, 400],
    [276, 450],
    [324, 450],
    [300, 498],
  ] as const;
  return picture(
    '#ffe0a6',
    circle(520, 80, 200, '#ffd38a') +
      ellipse(316, 560, 150, 20, '#00000016') +
      shape(
        'M300 560C190 500 140 400 152 306c8-62 66-88 148-74 82-14 140 12 148 74 12 94-38 194-148 254z',
        '#e8354a',
      ) +
      shape('M300 560C190 500 140 400 152 306c6-46 40-72 92-78-48 40-70 220 56 332z', '#f4596a') +
      seeds.map(([x, y]) => ellipse(x, y, 6, 10, '#ffe39a')).join('') +
      shape(
        'M300 262c-30 26-62 30-92 14 12-18 24-30 42-38-32 2-56-8-74-30 34-14 66-12 96 6-6-24-2-44 14-62 18 16 30 36 32 60 26-22 58-28 92-16-14 24-38 36-66 38 20 6 36 18 46 38-32 14-62 10-90-10z',
        '#3f9b4f',
      ) +
      line('M302 214c-4-40 8-74 36-98', '#2f7a3d', 16),
  );
}

export function pineapple(): string {
  const lines = [-3, -2, -1, 0, 1, 2, 3]
    .map((step) => {
      const y = 380 + step * 62;
      return line(`M150 ${y - 80} 450 ${y + 80}M450 ${y - 80} 150 ${y + 80}`, '#d98a12', 9);
    })
    .join('');
  const leaf = (angle: number, length: number, colour: string) =>
    `<g transform="translate(300 224) rotate(${angle})">${shape(`M-30 0C-40-${length * 0.5} -14-${length * 0.9} 0-${length} 14-${length * 0.9} 40-${length * 0.5} 30 0z`, colour)}</g>`;
  return picture(
    '#74cfc0',
    shape('M0 600V330L270 600z', '#5fbfb0') +
      ellipse(310, 560, 140, 18, '#00000018') +
      leaf(-58, 130, '#2f8a4c') +
      leaf(58, 130, '#2f8a4c') +
      leaf(-32, 170, '#3fa45c') +
      leaf(32, 170, '#3fa45c') +
      leaf(0, 190, '#57bb6b') +
      `<clipPath id="pineapple">${ellipse(300, 390, 130, 172, '#000')}</clipPath>` +
      ellipse(300, 390, 130, 172, '#f7b731') +
      `<g clip-path="url(#pineapple)">${lines}${shape('M150 200h90v380h-90z', '#ffffff2e')}</g>`,
  );
}

export function lemon(): string {
  return picture(
    '#8f7be8',
    circle(90, 510, 210, '#8069dd') +
      ellipse(318, 470, 190, 26, '#00000020') +
      `<g transform="rotate(-24 300 310)">${shape('M88 310c10-14 30-20 44-44 34-60 96-92 168-92s134 32 168 92c14 24 34 30 44 44-10 14-30 20-44 44-34 60-96 92-168 92s-134-32-168-92c-14-24-34-30-44-44z', '#ffd93b')}${shape('M132 354c34 60 96 92 168 92s134-32 168-92c6-10 14-16 22-22-60 50-270 86-380-4 8 8 16 14 22 26z', '#f2c01f')}${line('M196 250c30-30 64-42 104-44', '#fff3b0', 16)}</g>` +
      `<g transform="translate(404 158) rotate(-18)">${shape('M0 0C20-50 80-66 132-42 104 6 46 28 0 0z', '#56b868')}${line('M10-4C40-24 76-34 116-36', '#ffffff66', 5)}</g>`,
  );
}

export function watermelon(): string {
  const seeds = [
    [196, 262],
    [258, 244],
    [342, 244],
    [404, 262],
    [228, 318],
    [300, 312],
    [372, 318],
    [264, 380],
    [336, 380],
    [300, 436],
  ] as const;
  return picture(
    '#ffc4b4',
    shape('M0 470c150-60 420-50 600 20v110H0z', '#ffb09d') +
      ellipse(306, 548, 160, 18, '#00000016') +
      shape('M70 200c30-40 430-40 460 0 10 120-100 330-230 350C170 530 60 320 70 200z', '#2f8f55') +
      shape('M92 208c40-34 376-34 416 0 2 108-94 292-208 314C186 500 90 316 92 208z', '#e6f5c8') +
      shape('M110 214c46-26 334-26 380 0-4 100-88 260-190 284-102-24-186-184-190-284z', '#f4505f') +
      seeds.map(([x, y]) => ellipse(x, y, 9, 15, '#3a2226')).join(''),
  );
}
