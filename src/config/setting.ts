/** How the text of a setting becomes a value. `src/config/setting-types.ts` defines the types. */
export type SettingType<T> = {
  /** The requirement, as it completes the sentence "expected …" of an error message. */
  readonly expected: string;
  /** The value; undefined if the text does not meet the requirement. */
  readonly parse: (text: string) => T | undefined;
  /** The setting also exists as `NAME_FILE`, and no message repeats its value. */
  readonly isSecret?: true;
  /** The value is the absolute path of a file or folder, or an `s3:` URL. The doctor checks that each path responds. */
  readonly isPath?: true;
};

/** The schema of one setting. The reader, the type `Settings`, docs/reference/settings.md and the checks are derived from it. */
export type Setting<T = unknown> = {
  readonly name: string;
  readonly type: SettingType<T>;
  /** The default, as an operator would write it. Without one, the value of an absent setting is undefined. */
  readonly default?: string;
  /** Every installation needs or reviews this setting: it is in the first table of docs/reference/settings.md. */
  readonly essential?: true;
  readonly description: string;
};

/** The value that `readSettings` returns for a schema. */
export type SettingValue<S extends Setting> =
  S extends Setting<infer T> ? (S extends { readonly default: string } ? T : T | undefined) : never;
