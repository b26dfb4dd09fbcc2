import { latinFormsOrFirst, nameSearchKeys } from './name-key.ts';
import type { Forms } from './normalise.ts';

/** Longer names are searched by their first words only. The number of keys grows with the number of words. */
const maxWords = 6;

/** The words of a name in its first Latin form, or in its first form. Words after the sixth are ignored. */
function wordsOfName(forms: Forms): readonly string[] {
  const [form = ''] = latinFormsOrFirst(forms);
  return form.split(' ', maxWords).filter((word) => word !== '');
}

/**
 * The search keys of a family name whose words may be divided differently between the fields, or be in one field with the given name:
 * those of the first and the last words of the whole name, in both orders of the fields. Empty if each field has one word.
 */
export function dividedNameKeys(familyName: Forms, givenName: Forms): string[] {
  const [family, given] = [wordsOfName(familyName), wordsOfName(givenName)];
  const isRepeated = family.join(' ') === given.join(' ');
  if (family.length <= 1 && given.length <= 1) return [];
  const orders = isRepeated
    ? [family]
    : [
        [...family, ...given],
        [...given, ...family],
      ];
  const parts = orders.flatMap((words) =>
    words.slice(1).flatMap((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')]),
  );
  // An initial is no family name.
  return [...new Set(parts.filter((part) => part.length > 1).flatMap((part) => nameSearchKeys([part]).slice(0, 1)))];
}
