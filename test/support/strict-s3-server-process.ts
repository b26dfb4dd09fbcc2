/** The strict S3 server as a process over the given folder; prints its address. Ends with its standard input. */
import { writeSync } from 'node:fs';
import { openStrictS3Server } from './strict-s3-server.ts';

const [folder = ''] = process.argv.slice(2);
const { place } = await openStrictS3Server(folder);
writeSync(1, `${place.endpoint}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
