import { circle, ellipse, line, picture, shape } from './svg.ts';

const HEART = 'M300 372C262 340 236 316 236 284a34 34 0 0 1 64-16 34 34 0 0 1 64 16c0 32-26 56-64 88z';
const SMALL_HEART = 'M300 330c-16-14-28-24-28-38a15 15 0 0 1 28-7 15 15 0 0 1 28 7c0 14-12 24-28 38z';

export function coffee(): string {
  return picture(
    '#f5c7b6',
    shape('M0 420 600 340V600H0z', '#ecb3a0') +
      ellipse(318, 330, 210, 204, '#00000018') +
      line('M438 214c50-70 112-30 84 26-14 28-44 42-80 40', '#fbf5ea', 34) +
      circle(300, 306, 204, '#fbf5ea') +
      circle(300, 306, 172, '#efe4d2') +
      circle(300, 306, 150, '#fbf5ea') +
      circle(300, 306, 124, '#7d4526') +
      circle(300, 306, 114, '#96552f') +
      shape(HEART, '#f6e3c8') +
      shape(SMALL_HEART, '#96552f') +
      line('M84 492 196 414', '#cfd6da', 16) +
      ellipse(214, 402, 34, 20, '#dfe5e8', 'transform="rotate(-35 214 402)"'),
  );
}

function lemonSlice(x: number, y: number): string {
  const segments = [0, 60, 120, 180, 240, 300].map(
    (angle) => `<path d="M0 -6 17 -44a48 48 0 0 0-34 0z" fill="#fbe98a" transform="rotate(${angle})"/>`,
  );
  return `<g transform="translate(${x} ${y}) rotate(12)">${circle(0, 0, 64, '#f4cf3a')}${circle(0, 0, 55, '#fff7d6')}${segments.join('')}</g>`;
}

function leaf(x: number, y: number, degrees: number, colour: string): string {
  return `<g transform="translate(${x} ${y}) rotate(${degrees})">${shape('M0 0C20-42 70-50 110-20 78 16 30 22 0 0z', colour)}${line('M8-1C40-16 70-20 98-19', '#ffffff55', 4)}</g>`;
}

export function greenTea(): string {
  return picture(
    '#b3d3b0',
    shape('M600 0v260L330 0z', '#c4dfc0') +
      ellipse(318, 330, 212, 206, '#00000018') +
      circle(300, 306, 206, '#255b4b') +
      circle(300, 306, 176, '#2f6f5c') +
      circle(300, 306, 152, '#e9efe2') +
      circle(300, 306, 130, '#a2a339') +
      circle(300, 306, 118, '#b5b446') +
      lemonSlice(352, 274) +
      leaf(196, 366, -28, '#3f8348') +
      leaf(96, 520, -40, '#5da354') +
      leaf(150, 566, -6, '#4b9150'),
  );
}
