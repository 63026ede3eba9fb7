import { box, circle, ellipse, line, picture, shape } from './svg.ts';

export function bookStack(): string {
  const book = (y: number, x: number, width: number, colour: string, dark: string) =>
    box(x, y, width, 66, 12, colour) +
    box(x + 24, y + 12, width - 24, 42, 6, '#fff6e2') +
    box(x, y, 40, 66, 12, dark) +
    line(`M${x + 60} ${y + 26}h${width - 84}M${x + 60} ${y + 40}h${width - 84}`, '#e8d9b8', 3);
  return picture(
    '#f4cfa4',
    circle(300, 260, 220, '#f7dab7') +
      box(0, 500, 600, 100, 0, '#a8673a') +
      box(0, 500, 600, 16, 0, '#bd7a4a') +
      book(434, 110, 380, '#3c6fc4', '#2f59a3') +
      book(368, 140, 330, '#e2483d', '#bd362c') +
      book(302, 120, 350, '#2f9d7a', '#247f62') +
      book(236, 160, 290, '#f5b53c', '#d99a22') +
      `<g transform="translate(4 22) rotate(-6 300 190)">${shape('M300 214c-40-26-90-32-140-22V96c50-10 100-4 140 22 40-26 90-32 140-22v96c-50-10-100-4-140 22z', '#fffaf0')}${shape('M300 214V118c40-26 90-32 140-22v96c-50-10-100-4-140 22z', '#f3e6cd')}${line('M190 130c28-4 56 0 82 12M190 158c28-4 56 0 82 12M328 142c26-12 54-16 82-12M328 170c26-12 54-16 82-12', '#c9b48c', 6)}</g>`,
  );
}

export function headphones(): string {
  return picture(
    '#5b4bb7',
    circle(470, 470, 230, '#6657c4') +
      ellipse(310, 530, 190, 20, '#00000022') +
      shape(
        'M112 360C100 200 190 92 300 92s200 108 188 268h-44c10-136-56-222-144-222s-154 86-144 222z',
        '#ffd23f',
      ) +
      shape('M112 360C100 200 190 92 300 92v46c-88 0-154 86-144 222z', '#ffe07a') +
      box(84, 326, 92, 184, 42, '#f0597f') +
      box(424, 326, 92, 184, 42, '#f0597f') +
      box(146, 344, 44, 148, 20, '#2a2333') +
      box(410, 344, 44, 148, 20, '#2a2333') +
      box(102, 350, 22, 120, 11, '#ff8fab') +
      line('M268 330v100M332 300v130', '#9be3df', 16) +
      line('M268 330l64-26', '#9be3df', 18) +
      ellipse(250, 432, 28, 20, '#9be3df') +
      ellipse(314, 432, 28, 20, '#9be3df'),
  );
}

export function typewriter(): string {
  const keys = Array.from({ length: 24 }, (_, index) => {
    const [column, row] = [index % 8, Math.floor(index / 8)];
    return circle(148 + column * 42 + row * 6, 408 + row * 38, 14, '#fff6e6');
  }).join('');
  return picture(
    '#ef9a86',
    box(0, 490, 600, 110, 0, '#d97f6b') +
      ellipse(300, 520, 236, 20, '#00000018') +
      box(172, 70, 256, 210, 8, '#fffaf0') +
      line('M204 118h190M204 150h190M204 182h130', '#b9ae9c', 8) +
      box(92, 240, 416, 54, 24, '#2b3a4f') +
      box(66, 252, 40, 30, 12, '#1d2939') +
      box(494, 252, 40, 30, 12, '#1d2939') +
      shape('M120 280h360l44 218c2 14-6 24-20 24H96c-14 0-22-10-20-24z', '#2f8f93') +
      shape('M130 280h340l12 60H118z', '#37a3a6') +
      box(226, 300, 148, 24, 10, '#1f6b70') +
      shape('M112 386h376l18 112H94z', '#1f6b70') +
      keys,
  );
}

export function pencils(): string {
  const pencil = (x: number, turn: number, colour: string, light: string) =>
    `<g transform="translate(${x} 330) rotate(${turn})">${box(-30, -190, 60, 260, 4, colour)}${box(-30, -190, 22, 260, 4, light)}${shape('M-30-190 0-262l30 72z', '#f6d7a8')}${shape('M-11-236 0-262l11 26z', '#2b2724')}</g>`;
  return picture(
    '#b7e0c8',
    box(0, 480, 600, 120, 0, '#96cdb0') +
      ellipse(306, 536, 160, 20, '#0000001c') +
      pencil(214, -16, '#e2483d', '#f0695c') +
      pencil(268, -5, '#f5b53c', '#ffd066') +
      pencil(330, 6, '#3c6fc4', '#5c8be0') +
      pencil(388, 17, '#8b4bb8', '#a568d0') +
      shape('M160 340h280l-24 186c-2 12-10 18-22 18H206c-12 0-20-6-22-18z', '#fbf3e2') +
      shape('M360 340h80l-24 186c-2 12-10 18-22 18h-60c14 0 20-8 20-20z', '#ecdfc4') +
      box(152, 330, 296, 32, 14, '#ffffff') +
      shape('M168 410h264l-10 60H178z', '#f0597f'),
  );
}
