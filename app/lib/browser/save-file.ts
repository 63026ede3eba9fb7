/** How long the object URL of a file remains valid: some browsers start the download only some time after the click. */
const AVAILABLE_MS = 60_000;

/** Downloads a file under this name. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), AVAILABLE_MS);
}
