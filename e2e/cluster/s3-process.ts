import { startS3Server } from '#api/testing/external-services/s3-server.ts';

// A server with the part of S3 that the product uses, as a process of its own. Arguments: port, folder.

const [port, folder = ''] = process.argv.slice(2);
const { settings } = await startS3Server({ port: Number(port), folder });
process.send?.(settings);
