import type { Setting } from '../setting.ts';
import { databaseUrlType, pathType, secretType } from '../setting-types.ts';

/** The settings of the data folder, the database and the root key. */
export const storageSettings = {
  dataDir: {
    name: 'DATA_DIR',
    type: pathType,
    default: './data',
    essential: true,
    description: 'Folder of the SQLite database, the documents and the keys of the demo.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    type: secretType(databaseUrlType),
    essential: true,
    description:
      'URL of a PostgreSQL database, such as `postgres://user:password@db.example:5432/cs`. Without it the server uses SQLite in DATA_DIR.',
  },
  rootKeyFile: {
    name: 'ROOT_KEY_FILE',
    type: pathType,
    essential: true,
    description: 'File that contains the root key: 32 bytes in base64. Its mode must be 0600.',
  },
} as const satisfies Record<string, Setting>;
