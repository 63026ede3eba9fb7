/** Whether the host of a URL is this machine, so that data sent there crosses no network. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  // In a database URL, the host may be the folder of a Unix socket, or be empty for localhost.
  const host = decodeURIComponent(hostname).toLowerCase();
  return (
    host === '' ||
    host.startsWith('/') ||
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(host)
  );
}
