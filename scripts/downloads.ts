import { brunoZip, postmanCollection } from './collections.ts';
import { sandboxPeople, sandboxQuestions } from './sandbox-page.ts';

/** One file that the server offers under /docs/guide/files. */
export type GuideFile = {
  readonly name: string;
  readonly title: string;
  readonly mediaType: string;
  readonly base64: string;
};

/** The content of src/web/guide-files.json: the files for service teams. The image has no docs/, so the server has a copy. */
export function renderGuideFiles(): string {
  const files: readonly GuideFile[] = [
    guideFile('postman.json', 'API collection for Postman', 'application/json', postmanCollection()),
    guideFile('bruno.zip', 'API collection for Bruno', 'application/zip', brunoZip()),
    guideFile('people.jsonl', 'Invented people of the sandbox', 'application/jsonl', sandboxPeople()),
    guideFile('questions.json', 'Questions about these people, with answers', 'application/json', sandboxQuestions()),
  ];
  return `${JSON.stringify(files, null, 1)}\n`;
}

function guideFile(name: string, title: string, mediaType: string, content: string | Buffer): GuideFile {
  return { name, title, mediaType, base64: Buffer.from(content).toString('base64') };
}
