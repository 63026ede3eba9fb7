import { saveFile } from '#app/lib/browser/save-file.ts';

const SIDE_PX = 1_024;

/** Downloads a square SVG document as a PNG file. Throws if it cannot be drawn or encoded. */
export async function savePng(svg: string, fileName: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SIDE_PX;
  canvas.height = SIDE_PX;
  canvas.getContext('2d')?.drawImage(image, 0, 0, SIDE_PX, SIDE_PX);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (blob === null) throw new Error('The image could not be encoded');
  saveFile(blob, fileName);
}
