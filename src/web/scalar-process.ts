import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

// The child process of `scalar-script.ts`: writes the compressed script to the standard output. The package has the script only as
// a text in its code, so the plugin of the package serves it here.
const app = fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`expected the script of Scalar, received status ${statusCode}`);
process.stdout.write(await promisify(gzip)(rawPayload));
