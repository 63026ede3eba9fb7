import { box, circle, ellipse, line, picture, shape } from './svg.ts';

const SPRINKLES = ['#ffe14d', '#7b5cff', '#ffffff', '#52d6c0', '#ff5a5f'];

function sprinkles(): string {
  const marks: string[] = [];
  for (let index = 0; index < 34; index += 1) {
    // The golden angle spreads them without a pattern that an eye could find.
    const angle = index * 2.399;
    const distance = 92 + ((index * 0.7549) % 1) * 84;
    const x = 300 + Math.cos(angle) * distance;
    const y = 290 + Math.sin(angle) * distance;
    const colour = SPRINKLES[index % SPRINKLES.length] ?? '#fff';
    const turn = (index * 67) % 180;
    marks.push(
      `<rect x="-11" y="-4" width="22" height="8" rx="4" fill="${colour}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn})"/>`,
    );
  }
  return marks.join('');
}

export function doughnut(): string {
  return picture(
    '#a9e2d0',
    circle(40, 600, 240, '#93d3bf') +
      ellipse(322, 336, 208, 196, '#00000018') +
      circle(300, 300, 204, '#d99a52') +
      circle(300, 294, 196, '#c98540') +
      shape(
        'M300 100c70-4 118 32 150 72 36 46 46 92 40 136-4 34-18 52-30 86-14 40-66 82-118 88-34 4-60 6-96-4-50-12-92-44-114-86-16-30-26-58-28-94-4-52 18-104 58-142 42-38 84-54 138-56z',
        '#fb7fb0',
      ) +
      line('M168 214c24-40 62-62 104-68', '#ffb3d2', 16) +
      sprinkles() +
      circle(300, 292, 66, '#c98540') +
      circle(300, 298, 60, '#93d3bf'),
  );
}

export function iceLolly(): string {
  const bite =
    circle(424, 108, 44, '#c9b6f2') + circle(386, 76, 30, '#c9b6f2') + circle(450, 156, 26, '#c9b6f2');
  return picture(
    '#c9b6f2',
    shape('M600 40v560H360z', '#bba5ea') +
      `<g transform="rotate(14 300 300)">${box(272, 420, 56, 152, 28, '#e9bd77')}${box(272, 420, 24, 152, 12, '#f3cf92')}` +
      `<clipPath id="lolly"><path d="M182 200a118 118 0 0 1 236 0v236a36 36 0 0 1-36 36H218a36 36 0 0 1-36-36z"/></clipPath>` +
      `<g clip-path="url(#lolly)">${box(170, 60, 260, 180, 0, '#f5573f')}${shape('M170 232c40 26 70-16 120 6s90-14 140 2v120H170z', '#fff3df')}${shape('M170 346c50-22 80 18 130 0s80-14 130 4v130H170z', '#ffcb3d')}</g>` +
      `${line('M222 190c4-34 24-54 48-62', '#ff8a74', 18)}${line('M222 246v120', '#ffffff66', 18)}${bite}</g>`,
  );
}
