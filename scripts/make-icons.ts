import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { favicon, icon, maskable, monochrome, placeholder, shortcut } from './icons/drawings.ts';

const PUBLIC = join(import.meta.dirname, '..', 'app', 'public');

const IMAGES = [
  { name: 'icons/icon-192.png', svg: icon(), sizePx: 192 },
  { name: 'icons/icon-512.png', svg: icon(), sizePx: 512 },
  { name: 'icons/maskable-192.png', svg: maskable(), sizePx: 192 },
  { name: 'icons/maskable-512.png', svg: maskable(), sizePx: 512 },
  { name: 'icons/monochrome-512.png', svg: monochrome(), sizePx: 512 },
  { name: 'icons/shortcut-create-poll-192.png', svg: shortcut('create-poll'), sizePx: 192 },
  { name: 'icons/shortcut-explore-192.png', svg: shortcut('explore'), sizePx: 192 },
  { name: 'icons/shortcut-refer-192.png', svg: shortcut('refer'), sizePx: 192 },
  // iOS rounds the corners itself and shows transparent corners as black.
  { name: 'icons/apple-touch-icon.png', svg: maskable(), sizePx: 180 },
  { name: 'icons/favicon-32.png', svg: favicon(), sizePx: 32 },
];

await mkdir(join(PUBLIC, 'icons'), { recursive: true });
for (const { name, svg, sizePx } of IMAGES) {
  // Rasterised at the final size, so that edges are sharp; at the default of 72 dpi the width would be 512 px.
  const density = (72 * sizePx) / 512;
  const png = await sharp(Buffer.from(svg), { density })
    .resize(sizePx, sizePx)
    .png({ palette: true, colours: 64, effort: 10, compressionLevel: 9 })
    .toBuffer();
  await writeFile(join(PUBLIC, name), png);
}
await writeFile(join(PUBLIC, 'icons', 'favicon.svg'), favicon());
await writeFile(join(PUBLIC, 'placeholder-1.svg'), placeholder('A'));
await writeFile(join(PUBLIC, 'placeholder-2.svg'), placeholder('B'));
console.log(`${IMAGES.length + 3} icons and placeholders written`);
