import type { Setting } from '../setting.ts';
import { flagType, pathType, wholeNumberType } from '../setting-types.ts';

/** The settings of the ledger and of the access log. */
export const ledgerSettings = {
  ledgerWitnesses: {
    name: 'LEDGER_WITNESSES',
    type: pathType,
    description:
      'File with the witnesses of the ledger and their quorum (c2sp.org/tlog-policy). Without it the ledger has no witnesses.',
  },
  ledgerMlDsa: {
    name: 'LEDGER_ML_DSA',
    type: flagType,
    default: 'false',
    description: 'Set to true to sign checkpoints of the ledger with ML-DSA-44 in addition to Ed25519.',
  },
  accessLogHiddenDays: {
    name: 'ACCESS_LOG_HIDDEN_DAYS',
    type: wholeNumberType(0, 99_999),
    default: '365',
    description:
      'Maximum time that an access may be concealed from the citizen, in days, 0 to 99999. 0 forbids concealed access.',
  },
} as const satisfies Record<string, Setting>;
