import type { TemplateId } from '../../kernel/id.ts';
import type { Read, Row, Statement } from '../../store/db.ts';
import { idField, textField, wholeField } from '../../store/row-fields.ts';
import type { Template, TemplateText } from './template.ts';

/** A client has no more of them. */
export const mostTemplates = 200;

const columns = 'id, client_id, name, default_language, texts, created_at';

/** Stores a new template; refused (`rows`) where its client has that many. Whoever makes another at the same time waits for the row of the client. */
export function insertTemplate({ id, clientId, name, defaultLanguage, texts, createdAt }: Template): Statement[] {
  return [
    { sql: 'update client set name = name where client_id = $1', args: [clientId] },
    {
      sql: `insert into template (${columns})
        select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as bigint)
          where (select count(*) from template where client_id = $2) < ${mostTemplates}
        returning id`,
      args: [id, clientId, name, defaultLanguage, JSON.stringify(texts), createdAt],
      rows: 1,
    },
  ];
}

/** Takes a template out, refused (`rows`) where that was done. */
export function removeTemplate(id: TemplateId): Statement {
  return { sql: 'delete from template where id = $1 returning id', args: [id], rows: 1 };
}

/** The templates of a client, newest first. */
export async function listTemplates(read: Read, clientId: string): Promise<Template[]> {
  const sql = `select ${columns} from template where client_id = $1 order by id desc limit ${mostTemplates}`;
  return (await read(sql, [clientId])).map(templateOf);
}

/** One template, whoever's it is. */
export async function findTemplate(read: Read, id: TemplateId): Promise<Template | undefined> {
  const [row] = await read(`select ${columns} from template where id = $1`, [id]);
  return row === undefined ? undefined : templateOf(row);
}

function templateOf(row: Row): Template {
  return {
    id: idField(row, 'id', 'template'),
    clientId: textField(row, 'client_id'),
    name: textField(row, 'name'),
    defaultLanguage: textField(row, 'default_language'),
    // Written by `insertTemplate` above.
    texts: JSON.parse(textField(row, 'texts')) as TemplateText[],
    createdAt: wholeField(row, 'created_at'),
  };
}
