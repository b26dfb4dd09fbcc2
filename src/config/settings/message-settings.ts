import type { Setting } from '../setting.ts';
import { existingCountryType, pathType, secretType, textType, tokenType, urlType } from '../setting-types.ts';

/** The settings of text messages and letters. */
export const messageSettings = {
  smsUrl: {
    name: 'SMS_URL',
    type: secretType(urlType('https', 'http')),
    description:
      'URL of the gateway that accepts text messages by POST. Without it, the server sends no text messages.',
  },
  smsGateway: {
    name: 'SMS_GATEWAY',
    type: pathType,
    description:
      'JSON file that describes the requests and responses of the gateway (docs/operate/channels.md). Without it, the server sends JSON in a default format.',
  },
  smsReceiptToken: {
    name: 'SMS_RECEIPT_TOKEN',
    type: secretType(tokenType),
    description:
      'Token of the gateway at `/callbacks/sms`, as a bearer token or as a password. It has at least 16 characters, such as the output of `openssl rand -hex 32`. Without it, the server accepts no delivery reports.',
  },
  phoneCountry: {
    name: 'PHONE_COUNTRY',
    type: existingCountryType,
    description:
      'Country of phone numbers without a country code, as two letters of ISO 3166-1, such as GB. Without it, the server cannot use such numbers, and imports report them.',
  },
  letterSpool: {
    name: 'LETTER_SPOOL',
    type: pathType,
    description: 'Existing folder from which a printer takes letters. Without it, the server sends no letters.',
  },
  letterWindow: {
    name: 'LETTER_WINDOW',
    type: textType,
    default: 'din5008b',
    description: 'Address window of the envelopes: din5008b or uk-c5.',
  },
  letterFonts: {
    name: 'LETTER_FONTS',
    type: pathType,
    description:
      'Folder with fonts (.ttf, .otf) for scripts that the built-in fonts do not support (docs/operate/channels.md). Without it, letters in such scripts fail.',
  },
  letterLogos: {
    name: 'LETTER_LOGOS',
    type: pathType,
    description:
      'Folder with logos for letters: CLIENT-ID.svg or CLIENT-ID.png for one client, default.svg or default.png for the others.',
  },
  letterReturnAddress: {
    name: 'LETTER_RETURN_ADDRESS',
    type: textType,
    description:
      'Return address of letters, such as `P.O. Box 100, 0101 Oslo`. It has at most 6 lines, separated by commas, and 120 characters. A client can have its own.',
  },
} as const satisfies Record<string, Setting>;
