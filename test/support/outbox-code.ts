import { waitUntil } from './wait-until.ts';

/** Waits for a mail with a code to that address in the outbox of a demo, and returns the code of the newest one. */
export async function readCodeFromOutbox(home: { readonly url: string }, address: string): Promise<string> {
  let code: string | undefined;
  await waitUntil(async () => {
    const outbox = await (await fetch(`${home.url}/outbox`)).text();
    const mails = outbox.split('<article>').filter((mail) => mail.includes(`<bdi>${address}</bdi>`));
    const texts = mails.map((mail) => /<p class="mail"[^>]*>([\s\S]*?)<\/p>/.exec(mail)?.[1] ?? '');
    code = texts.flatMap((text) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0];
    return code !== undefined;
  });
  return code ?? '';
}
