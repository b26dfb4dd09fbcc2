import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { idField, integerField, textField } from '../../db/row-fields.ts';
import type { TemplateId } from '../../kernel/id.ts';
import { type Template, type TemplateHead, type TemplateText, templateHeadOf } from './template.ts';

/** The limit per client. */
export const maxTemplates = 200;

const columns = 'id, client_id, name, default_language, texts, created_at';
const findTemplateRow = lookupByKey('template', 'id', columns);

/**
 * Stores a new template. Refused (`rows`) when the client has `maxTemplates` of them. The first statement locks the row of the client, so
 * that concurrent inserts run one after the other.
 */
export function insertTemplate(template: Template): Statement[] {
  const { id, clientId, name, defaultLanguage, texts, createdAt } = template;
  const { languages, placeholders } = templateHeadOf(template);
  return [
    { sql: 'update client set name = name where client_id = $1', args: [clientId] },
    {
      sql: `insert into template (${columns}, languages, placeholders)
        select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as bigint),
            cast($7 as text), cast($8 as text)
          where (select count(*) from template where client_id = $2) < ${maxTemplates}
        returning id`,
      args: [
        id,
        clientId,
        name,
        defaultLanguage,
        JSON.stringify(texts),
        createdAt,
        JSON.stringify(languages),
        JSON.stringify(placeholders),
      ],
      rows: 1,
    },
  ];
}

/** Deletes a template. Refused (`rows`) when it was deleted before. */
export function deleteTemplate(id: TemplateId): Statement {
  return { sql: 'delete from template where id = $1 returning id', args: [id], rows: 1 };
}

/** The templates of a client, newest first, without their texts, which can be 12 MB in all. */
export async function findTemplates(read: Read, clientId: string): Promise<TemplateHead[]> {
  const sql = `select id, client_id, name, default_language, created_at, languages, placeholders from template
     where client_id = $1 order by id desc limit ${maxTemplates}`;
  return (await read(sql, [clientId])).map((row) => {
    // `insertTemplate` has written both lists.
    const listIn = (column: string) => JSON.parse(textField(row, column)) as string[];
    return { ...commonFieldsOf(row), languages: listIn('languages'), placeholders: listIn('placeholders') };
  });
}

/** A template of any client. */
export async function findTemplate(read: Read, id: TemplateId): Promise<Template | undefined> {
  const [row] = await findTemplateRow(read, id);
  // `insertTemplate` has written the texts.
  return row && { ...commonFieldsOf(row), texts: JSON.parse(textField(row, 'texts')) as TemplateText[] };
}

function commonFieldsOf(row: Row): Omit<Template, 'texts'> {
  return {
    id: idField(row, 'id', 'template'),
    clientId: textField(row, 'client_id'),
    name: textField(row, 'name'),
    defaultLanguage: textField(row, 'default_language'),
    createdAt: integerField(row, 'created_at'),
  };
}
