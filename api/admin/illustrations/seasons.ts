import { box, circle, ellipse, line, picture, shape } from './svg.ts';

export function autumnTree(): string {
  const leaves = [
    [120, 470, 20],
    [210, 520, -30],
    [390, 500, 45],
    [480, 540, 10],
    [90, 380, 60],
    [520, 400, -20],
  ] as const;
  return picture(
    '#fbe3c0',
    circle(120, 130, 62, '#ffc861') +
      shape('M0 470c150-50 420-40 600 0v130H0z', '#d98e4a') +
      shape('M0 530c180-40 420-30 600 10v60H0z', '#c67a38') +
      shape('M276 500c14-80 12-150 8-220h36c-6 70-4 140 10 220z', '#6f452b') +
      line('M302 360 236 290M304 330 366 262', '#6f452b', 18) +
      circle(300, 170, 110, '#e8622c') +
      circle(206, 232, 86, '#f08a34') +
      circle(394, 226, 90, '#d94a2b') +
      circle(300, 252, 84, '#f5a13c') +
      circle(262, 146, 40, '#f27c40') +
      circle(400, 200, 34, '#e8622c') +
      leaves
        .map(([x, y, turn], index) =>
          ellipse(
            x,
            y,
            20,
            10,
            ['#e8622c', '#f5b53c', '#b93c22'][index % 3] ?? '#e8622c',
            `transform="rotate(${turn} ${x} ${y})"`,
          ),
        )
        .join(''),
  );
}

export function blossomTree(): string {
  const petals = [
    [110, 420],
    [180, 470],
    [420, 440],
    [500, 490],
    [90, 520],
    [360, 530],
    [530, 380],
  ] as const;
  return picture(
    '#bfe6f7',
    circle(474, 116, 54, '#fff0a8') +
      shape('M0 480c150-40 420-50 600 0v120H0z', '#93cf83') +
      shape('M0 540c180-30 420-30 600 10v50H0z', '#7dbd6d') +
      shape('M280 510c16-90 6-150-10-210l34-6c4 60 12 120 14 216z', '#7a4a3a') +
      line('M286 380 210 300M296 350 388 270', '#7a4a3a', 18) +
      circle(290, 168, 108, '#f7a3c4') +
      circle(190, 236, 82, '#fbbdd4') +
      circle(394, 224, 92, '#f38db5') +
      circle(296, 254, 80, '#fcd0e0') +
      circle(250, 150, 40, '#fcd0e0') +
      circle(384, 196, 36, '#f9b3cd') +
      circle(180, 214, 28, '#fde3ed') +
      petals
        .map(([x, y], index) =>
          ellipse(x, y, 12, 7, '#f7a3c4', `transform="rotate(${index * 47} ${x} ${y})"`),
        )
        .join(''),
  );
}

export function snowman(): string {
  const flakes = [
    [70, 90],
    [150, 200],
    [240, 70],
    [480, 120],
    [540, 250],
    [90, 320],
    [420, 60],
    [520, 380],
  ] as const;
  return picture(
    '#6fa8dc',
    circle(300, 300, 250, '#7fb4e3') +
      flakes.map(([x, y]) => circle(x, y, 8, '#ffffffcc')).join('') +
      shape('M0 490c150-40 420-50 600 0v110H0z', '#f4f9ff') +
      ellipse(310, 528, 160, 20, '#cfe0f2') +
      line(
        'M196 350 96 280M118 296l-26 10M110 290l-4-30M404 350l100-64M484 298l28 8M490 292l2-30',
        '#6b4a31',
        11,
      ) +
      circle(300, 420, 122, '#ffffff') +
      circle(300, 232, 86, '#ffffff') +
      shape('M384 334a122 122 0 0 1-20 188c40-60 46-130 20-188z', '#dfeaf7') +
      box(226, 154, 148, 22, 10, '#2b2f45') +
      box(252, 66, 96, 98, 10, '#2b2f45') +
      box(252, 132, 96, 22, 0, '#e2483d') +
      circle(270, 222, 11, '#2b2f45') +
      circle(330, 222, 11, '#2b2f45') +
      shape('M300 240c30 0 70 10 92 20-30 6-66 10-92 4-10-4-10-22 0-24z', '#f2842c') +
      line('M262 282c24 18 52 18 76 0', '#2b2f45', 8) +
      shape('M214 302c56 26 116 26 172 0l10 30c-58 30-134 30-192 0z', '#e2483d') +
      shape('M344 336l44-8 14 100-40 6z', '#c73a30') +
      circle(300, 392, 11, '#2b2f45') +
      circle(300, 440, 11, '#2b2f45'),
  );
}

export function sandcastle(): string {
  const teeth = (x: number, y: number, count: number) =>
    Array.from({ length: count }, (_, index) => box(x + index * 36, y, 22, 28, 3, '#f0c26a')).join('');
  return picture(
    '#86d6ee',
    circle(110, 110, 60, '#ffe27a') +
      box(0, 330, 600, 120, 0, '#38add6') +
      shape('M0 352c90-16 150 16 240 0s200-18 360 4v60H0z', '#56c1e2') +
      shape('M0 440c110-40 420-40 600 0v160H0z', '#f9e2a8') +
      shape('M0 530c160-40 420-30 600 10v60H0z', '#f2d48c') +
      box(130, 330, 340, 180, 8, '#e5b45b') +
      box(110, 260, 104, 250, 8, '#f0c26a') +
      box(386, 260, 104, 250, 8, '#f0c26a') +
      box(236, 210, 128, 200, 8, '#f0c26a') +
      teeth(110, 238, 3) +
      teeth(386, 238, 3) +
      box(236, 188, 26, 30, 3, '#f0c26a') +
      box(287, 188, 26, 30, 3, '#f0c26a') +
      box(338, 188, 26, 30, 3, '#f0c26a') +
      line('M300 196v-96', '#7a4a24', 9) +
      shape('M304 100l74 26-74 28z', '#e2483d') +
      shape('M262 510v-66a38 38 0 0 1 76 0v66z', '#a8742e') +
      box(146, 310, 28, 50, 14, '#b98336') +
      box(424, 310, 28, 50, 14, '#b98336') +
      box(286, 260, 28, 50, 14, '#b98336') +
      `<g transform="translate(520 486) rotate(14)">${shape('M-44-40h88l-14 84h-60z', '#e4572e')}${line('M-38-42c4-50 72-50 76 0', '#fff3dd', 8)}</g>`,
  );
}
