/** The kind of a value; `validate-setting.ts` checks each. */
export type SettingKind =
  | 'text'
  | 'port'
  | 'url'
  | 'origin'
  | 'database'
  | 'path'
  | 'mail-address'
  | 'flag'
  | 'level'
  | 'issuers'
  | 'issuer'
  | 'country'
  | 'time-zone'
  | 'header'
  | 'token'
  | 'scanner'
  | 'count'
  | 'threads'
  | 'days'
  | 'dates'
  | 'milliseconds'
  | 'store';

/** One setting of the table: its kind, default and description. */
export type Setting = {
  readonly kind: SettingKind;
  readonly fallback: string | undefined;
  readonly secret?: true;
  /** The schemes that a URL may have. */
  readonly schemes?: readonly string[];
  readonly help: string;
};
