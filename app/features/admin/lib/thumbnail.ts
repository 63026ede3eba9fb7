const SIDE_PX = 240;
const JPEG_QUALITY = 0.75;

/** An object URL of a small square thumbnail; null when the image cannot be read. */
export async function createThumbnail(file: Blob): Promise<string | null> {
  try {
    const image = await createImageBitmap(file, {
      resizeWidth: SIDE_PX,
      resizeQuality: 'medium',
      imageOrientation: 'from-image',
    });
    const canvas = document.createElement('canvas');
    canvas.width = SIDE_PX;
    canvas.height = SIDE_PX;
    const side = Math.min(image.width, image.height);
    const left = (image.width - side) / 2;
    const top = (image.height - side) / 2;
    canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, SIDE_PX, SIDE_PX);
    image.close();
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY),
    );
    return blob && URL.createObjectURL(blob);
  } catch {
    return null;
  }
}
