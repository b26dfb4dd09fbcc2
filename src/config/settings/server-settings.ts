import type { Setting } from '../setting.ts';
import { choiceType, originType, portType, textType, wholeNumberType } from '../setting-types.ts';

/** The settings of the process: addresses, threads and log. */
export const serverSettings = {
  publicUrl: {
    name: 'PUBLIC_URL',
    type: originType,
    essential: true,
    description:
      'Address that clients and citizens use, without a path, such as `https://api.example.gov`. Default: `http://HOST:PORT`, or https with TLS_CERTIFICATE. Required if HOST is 0.0.0.0 or ::.',
  },
  host: {
    name: 'HOST',
    type: textType,
    default: '127.0.0.1',
    essential: true,
    description:
      'Address on which the API listens. With the default, only programs on the same machine reach it. 0.0.0.0 selects all addresses; the demo always uses loopback.',
  },
  port: {
    name: 'PORT',
    type: portType,
    default: '3000',
    essential: true,
    description: 'TCP port of the API, 0 to 65535. 0 selects a free port.',
  },
  adminPort: {
    name: 'ADMIN_PORT',
    type: portType,
    default: '0',
    essential: true,
    description:
      'TCP port of `/metrics`, `/healthz` and `/readyz`, for every role, 0 to 65535. 0 selects a free port at each start. Processes on the same machine need different ports.',
  },
  adminHost: {
    name: 'ADMIN_HOST',
    type: textType,
    default: '127.0.0.1',
    description:
      'Address on which ADMIN_PORT listens. With the default, only programs on the same machine reach it. For another address, restrict access in the network: the endpoints need no token.',
  },
  apiThreads: {
    name: 'API_THREADS',
    type: wholeNumberType(1, 64),
    default: '1',
    description:
      'Number of threads that answer API requests, 1 to 64. More than one helps from about 100 concurrent clients. Systems other than Linux always use one thread.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    type: choiceType('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    essential: true,
    description:
      'Lowest level of the log lines that the server writes: trace, debug, info, warn, error or fatal; silent writes none. Default: info, and warn in the demo.',
  },
} as const satisfies Record<string, Setting>;
