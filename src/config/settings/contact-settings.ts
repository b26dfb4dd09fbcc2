import type { Setting } from '../setting.ts';
import { emailAddressType, urlType } from '../setting-types.ts';

/** The settings of published contacts and terms. */
export const contactSettings = {
  supportEmail: {
    name: 'SUPPORT_EMAIL',
    type: emailAddressType,
    description: 'Email address for questions about the API, published in the OpenAPI document.',
  },
  termsUrl: {
    name: 'TERMS_URL',
    type: urlType('https', 'http'),
    description: 'URL of the terms of use of the API, published in the OpenAPI document.',
  },
  securityContact: {
    name: 'SECURITY_CONTACT',
    type: urlType('https', 'mailto', 'tel'),
    description:
      'Contact for security reports, such as `mailto:security@example.org`. The server then serves `/.well-known/security.txt`.',
  },
} as const satisfies Record<string, Setting>;
