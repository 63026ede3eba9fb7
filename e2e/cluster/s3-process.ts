import { startS3Server } from '#api/testing/external-services/s3-server.ts';

// Runs the tests' S3 server in a separate process. Arguments: port, folder.

const [port, folder = ''] = process.argv.slice(2);
const { settings } = await startS3Server({ port: Number(port), folder });
process.send?.(settings);
