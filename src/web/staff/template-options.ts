import { formatMessage } from '../../locales/message-format.ts';
import { dayText, minuteText } from '../citizen-layout.ts';
import type { SelectOption } from '../form-parts.ts';
import type { StaffVisit } from './staff-page.ts';

/** A template in a list, as `listServiceTemplates` returns it. */
export type ListedTemplate = {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly string[];
  readonly placeholders: readonly string[];
  readonly createdAt: string;
};

/** The templates for a list, newest first. Versions of one template may have one name, so the text has their day, or else their minute. */
export function templateOptions(
  { layout, texts }: Pick<StaffVisit, 'layout' | 'texts'>,
  templates: readonly ListedTemplate[],
): readonly SelectOption[] {
  const { words } = layout;
  const named = (template: ListedTemplate, time: string) =>
    formatMessage(words.language, texts.send.version, { name: `\u2068${template.name}\u2069`, time });
  const byDay = templates.map((one) => named(one, dayText(words, one.createdAt)));
  return templates.map((one, at) => {
    const text = byDay[at] ?? one.name;
    const isUnique = byDay.filter((other) => other === text).length === 1;
    return [one.id, isUnique ? text : named(one, minuteText(words, one.createdAt))] as const;
  });
}
