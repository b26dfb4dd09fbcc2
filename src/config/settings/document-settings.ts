import type { Setting } from '../setting.ts';
import { documentStoreType, flagType, mebibytesType, scannerType, secretType, textType } from '../setting-types.ts';

/** The settings of document storage and virus scans. */
export const documentSettings = {
  documentStore: {
    name: 'DOCUMENT_STORE',
    type: documentStoreType,
    essential: true,
    description:
      'Storage of the encrypted documents: a folder, or `s3://BUCKET/PREFIX?region=…`. For a store other than AWS add `&endpoint=https://…`. Default: the folder `documents` in DATA_DIR.',
  },
  s3AccessKeyId: {
    name: 'S3_ACCESS_KEY_ID',
    type: textType,
    description: 'Access key ID for the S3 bucket in DOCUMENT_STORE. Required for a bucket.',
  },
  s3SecretAccessKey: {
    name: 'S3_SECRET_ACCESS_KEY',
    type: secretType(textType),
    description: 'Secret access key for the S3 bucket in DOCUMENT_STORE. Required for a bucket.',
  },
  documentLimit: {
    name: 'DOCUMENT_LIMIT_MIB',
    type: mebibytesType,
    default: '100',
    description: 'Maximum document size in MiB, 1 to 999999. The server rejects larger documents with the status 413.',
  },
  clamav: {
    name: 'CLAMAV',
    type: scannerType,
    essential: true,
    description:
      'Address of the ClamAV daemon: `unix:/path` or `tcp://host:port`. Without it, deposited documents stay in the status `scanning`. `off` releases documents without a scan and records this in each document; it is the default of the demo. Put the TemporaryDirectory of clamd in memory, because clamd writes documents to it during a scan.',
  },
  signDocuments: {
    name: 'SIGN_DOCUMENTS',
    type: flagType,
    default: 'false',
    description:
      'Set to true to sign each response that contains a document (RFC 9421), with the key for evidence. By default, these responses have no signature.',
  },
} as const satisfies Record<string, Setting>;
