const SIDE_PX = 240;
const JPEG_QUALITY = 0.75;

/** An object URL of a small square of a picture, so that a hundred of them stay light; null when it cannot be read. */
export async function drawThumbnail(file: Blob): Promise<string | null> {
  try {
    const photo = await createImageBitmap(file, {
      resizeWidth: SIDE_PX,
      resizeQuality: 'medium',
      imageOrientation: 'from-image',
    });
    const canvas = document.createElement('canvas');
    canvas.width = SIDE_PX;
    canvas.height = SIDE_PX;
    const side = Math.min(photo.width, photo.height);
    const left = (photo.width - side) / 2;
    const top = (photo.height - side) / 2;
    canvas.getContext('2d')?.drawImage(photo, left, top, side, side, 0, 0, SIDE_PX, SIDE_PX);
    photo.close();
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY),
    );
    return blob && URL.createObjectURL(blob);
  } catch {
    return null;
  }
}
