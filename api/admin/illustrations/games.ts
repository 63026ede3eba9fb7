import { box, circle, ellipse, line, picture, shape } from './svg.ts';

export function football(): string {
  const spots = [0, 72, 144, 216, 288]
    .map(
      (angle) =>
        `<g transform="rotate(${angle} 300 300)">${shape('M300 128c-24 4-48 12-68 24l26 42h84l26-42c-20-12-44-20-68-24z', '#2b2f45')}${line('M300 236v-44', '#2b2f45', 9)}</g>`,
    )
    .join('');
  const stripes = [0, 2, 4].map((index) => box(index * 100, 0, 100, 600, 0, '#4aa85f')).join('');
  return picture(
    '#55b46a',
    stripes +
      ellipse(330, 488, 176, 34, '#00000024') +
      circle(300, 300, 186, '#ffffff') +
      `<clipPath id="football">${circle(300, 300, 186, '#000')}</clipPath>` +
      `<g clip-path="url(#football)">${spots}${shape('M300 232l65 47-25 76h-80l-25-76z', '#2b2f45')}${shape('M420 120c80 120 40 320-150 372 160 40 300-140 150-372z', '#00000014')}</g>`,
  );
}

export function tennis(): string {
  const strings = [-72, -48, -24, 0, 24, 48, 72]
    .map((step) => line(`M${step}-150V150M-120 ${step * 1.6}H120`, '#fbf3e2', 3))
    .join('');
  return picture(
    '#d9683c',
    shape('M0 380 600 250v350H0z', '#cc5c31') +
      line('M0 470 600 330', '#fff3e4', 12) +
      `<g transform="translate(262 232) rotate(-32)">${line('M0 214v150', '#2b2f45', 30)}${line('M0 250v114', '#e4e9f2', 30)}${shape('M-58 130 0 214l58-84', 'none', 'stroke="#3c49c4" stroke-width="16" stroke-linejoin="round"')}<clipPath id="strings">${ellipse(0, 0, 112, 144, '#000')}</clipPath><g clip-path="url(#strings)">${strings}</g>${ellipse(0, 0, 112, 144, 'none', 'stroke="#3c49c4" stroke-width="22"')}</g>` +
      ellipse(176, 540, 76, 14, '#00000022') +
      circle(166, 468, 66, '#d8ec4b') +
      line('M116 428c40 10 60 50 44 104M212 422c-30 26-36 60-12 96', '#fbfde6', 8),
  );
}

export function chess(): string {
  const squares = Array.from({ length: 12 }, (_, index) => {
    const [column, row] = [index % 6, Math.floor(index / 6)];
    return box(column * 100, 440 + row * 80, 100, 80, 0, (column + row) % 2 === 0 ? '#f2dfc0' : '#9a6a48');
  }).join('');
  return picture(
    '#2f6d78',
    circle(300, 240, 220, '#37798a') +
      squares +
      ellipse(306, 496, 132, 20, '#00000028') +
      box(194, 454, 212, 42, 16, '#2a2333') +
      box(214, 424, 172, 40, 16, '#3b3249') +
      shape(
        'M236 428c0-66 34-92 60-128-30 4-56 14-74 40-18 10-44 0-48-24 14-58 52-108 116-124l6-46 34 42c76 30 96 130 52 240z',
        '#3b3249',
      ) +
      shape('M330 188c76 30 96 130 52 240h-36c40-96 34-190-16-240z', '#4d425e') +
      circle(268, 256, 10, '#fbf3e2') +
      line('M194 314l22-8', '#fbf3e2', 6),
  );
}

function die(
  x: number,
  y: number,
  turn: number,
  colour: string,
  dots: readonly (readonly [number, number])[],
): string {
  const marks = dots.map(([dx, dy]) => circle(dx * 52, dy * 52, 19, '#ffffff')).join('');
  return `<g transform="translate(${x} ${y}) rotate(${turn})">${box(-98, -90, 200, 200, 36, '#00000022')}${box(-106, -106, 200, 200, 36, colour)}<g transform="translate(-6 -6)">${marks}</g></g>`;
}

export function dice(): string {
  return picture(
    '#f7c9dd',
    shape('M0 0h330L0 420z', '#f9d6e5') +
      die(216, 244, -16, '#e2483d', [
        [-1, -1],
        [1, 1],
        [0, 0],
        [-1, 1],
        [1, -1],
      ]) +
      die(398, 400, 22, '#4a55c8', [
        [-1, -1],
        [1, 1],
        [0, 0],
      ]),
  );
}
