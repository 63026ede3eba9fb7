import { circle, ellipse, line, picture, shape } from './svg.ts';

function catEye(x: number): string {
  return (
    ellipse(x, 302, 42, 46, '#ffe14a') + ellipse(x, 304, 13, 38, '#1d1a1c') + circle(x + 6, 286, 8, '#ffffff')
  );
}

export function cat(): string {
  return picture(
    '#f7b3a6',
    circle(440, 120, 210, '#f3a094') +
      shape('M136 600c0-110 60-170 164-170s164 60 164 170z', '#45414b') +
      shape('M138 302 130 96c-2-20 12-24 26-12l118 96z', '#5c5763') +
      shape('M462 302 470 96c2-20-12-24-26-12L326 180z', '#5c5763') +
      shape('M164 214 160 134l58 52z', '#f08fa6') +
      shape('M436 214 440 134l-58 52z', '#f08fa6') +
      ellipse(300, 320, 178, 152, '#5c5763') +
      catEye(224) +
      catEye(376) +
      shape('M280 366h40c6 0 8 6 4 10l-18 18a8 8 0 0 1-12 0l-18-18c-4-4-2-10 4-10z', '#f08fa6') +
      line('M300 396c0 26-42 32-54 8M300 396c0 26 42 32 54 8', '#2a262c', 8) +
      line('M190 380 66 362M192 402 72 422M410 380l124-18M408 402l120 20', '#ffffffcc', 6),
  );
}

export function dog(): string {
  return picture(
    '#8ec6ea',
    circle(80, 120, 190, '#9fd1f0') +
      shape('M128 600c0-112 62-176 172-176s172 64 172 176z', '#d9914a') +
      ellipse(124, 292, 66, 132, '#9c5b2c', 'transform="rotate(14 124 292)"') +
      ellipse(476, 292, 66, 132, '#9c5b2c', 'transform="rotate(-14 476 292)"') +
      ellipse(300, 300, 176, 178, '#e2a05a') +
      shape(
        'M300 122c40 0 52 70 56 130s60 80 60 136c0 60-56 92-116 92s-116-32-116-92c0-56 56-76 60-136s16-130 56-130z',
        '#fbf1e2',
      ) +
      circle(216, 296, 27, '#2b2320') +
      circle(384, 296, 27, '#2b2320') +
      circle(225, 287, 8, '#ffffff') +
      circle(393, 287, 8, '#ffffff') +
      shape('M258 350c0-18 20-26 42-26s42 8 42 26-26 36-42 36-42-18-42-36z', '#2b2320') +
      shape('M276 420h48v40a24 24 0 0 1-48 0z', '#f2727f') +
      line('M300 386v22c0 26-46 30-62 6M300 408c0 26 46 30 62 6', '#2b2320', 9) +
      shape('M212 510c58 30 118 30 176 0l-14 62c-48 20-100 20-148 0z', '#e2483d') +
      circle(300, 556, 20, '#ffd23f'),
  );
}
