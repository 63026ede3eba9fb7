/** Whether the host of a URL is this machine, so that data sent there crosses no network. */
export function isLoopback({ hostname }: URL): boolean {
  // A path is that of a Unix socket. PostgreSQL takes an empty host for localhost.
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
