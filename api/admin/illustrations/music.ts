import { box, circle, line, picture, shape, turned } from './svg.ts';

export function vinyl(): string {
  const grooves = [188, 166, 144, 122].map((radius) =>
    circle(268, 306, radius, 'none', 'stroke="#3a3632" stroke-width="4"'),
  );
  return picture(
    '#e9b33b',
    shape('M0 470h600v130H0z', '#d89f2b') +
      circle(284, 324, 214, '#00000022') +
      circle(268, 306, 214, '#1f1c1a') +
      grooves.join('') +
      shape('M268 306 110 168a210 210 0 0 1 66-50z', '#ffffff1c') +
      shape('M268 306 426 444a210 210 0 0 1-66 50z', '#ffffff1c') +
      circle(268, 306, 78, '#ef5b43') +
      shape('M268 228a78 78 0 0 1 0 156z', '#f47b5f') +
      circle(268, 306, 12, '#e9b33b') +
      circle(524, 92, 48, '#fbf3e2') +
      circle(524, 92, 24, '#2b2724') +
      line('M524 92 510 300 440 392', '#fbf3e2', 14) +
      `<g transform="rotate(38 424 408)">${box(396, 380, 62, 44, 8, '#fbf3e2')}</g>`,
  );
}

function reel(x: number): string {
  const teeth = [0, 60, 120].map(
    (angle) => `<path d="M-26 0H26" transform="rotate(${angle})" stroke="#2a2333" stroke-width="9"/>`,
  );
  return `<g transform="translate(${x} 318)">${circle(0, 0, 38, '#fbf3e2')}${teeth.join('')}${circle(0, 0, 12, '#fbf3e2')}</g>`;
}

export function cassette(): string {
  return picture(
    '#2f9d99',
    shape('M600 0v330L300 600h300z', '#288c89') +
      turned(
        -9,
        box(76, 150, 464, 320, 28, '#00000022') +
          box(64, 136, 464, 320, 28, '#f8ead0') +
          box(92, 164, 408, 212, 18, '#f0597f') +
          box(92, 196, 408, 22, 0, '#ffd04f') +
          box(92, 226, 408, 14, 0, '#f98c54') +
          box(150, 258, 292, 118, 59, '#2a2333') +
          reel(222) +
          reel(370) +
          shape('M168 456l22-58h212l22 58z', '#e2cfae') +
          circle(228, 430, 11, '#2a2333') +
          circle(364, 430, 11, '#2a2333'),
      ),
  );
}
