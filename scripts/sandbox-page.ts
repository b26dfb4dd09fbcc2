import { type PersonaCase, type PersonaQuestion, personaCases, personas } from '../src/cli/personas.ts';

/** The people of all cases as JSON Lines, for `citizens import`. */
export function sandboxPeople(): string {
  return personas.map((person) => `${JSON.stringify(person)}\n`).join('');
}

/** The questions about these people with their expected decisions, as JSON for programs. */
export function sandboxQuestions(): string {
  const questions = personaCases.flatMap(({ about, questions: questionsOfCase }) =>
    questionsOfCase.map((question) => ({ about, ...question })),
  );
  return `${JSON.stringify(questions, null, 2)}\n`;
}

/** The page docs/integrate/sandbox.md: a fixed introduction, then one table per case. */
export function sandboxPage(): string {
  return `# A sandbox for service teams

Use these invented people to test each response. The demo has them. For a sandbox
of your own (a server with [\`SIMULATORS=true\`](../reference/settings.md#simulators)), an operator imports them
(in a clone, \`cs\` is \`npm run -s cli --\`):

    cs citizens import /absolute/path/docs/integrate/sandbox/people.jsonl

[sandbox/questions.json](sandbox/questions.json) has every request below with its answer, for an automatic test. The answers are those
of the [policy](../operate/verification.md#policies) \`standard-2026-3\`. After five different wrong claims about one person, every
answer is \`no_match\` for a day.

The server simulates [more citizens](testing.md#simulator-citizens) without an import.
Written by \`npm run generate\`.
${personaCases.map(caseText).join('')}`;
}

function caseText({ about, questions }: PersonaCase): string {
  const rows = questions.map(
    (question) => `| ${claimsText(question)} | \`${question.decision}\` | ${question.because} |`,
  );
  return `
## ${about}

| claims | answer | because |
|---|---|---|
${rows.join('\n')}
`;
}

function claimsText({ claims }: PersonaQuestion): string {
  return Object.entries(claims)
    .map(([claim, value]) => `${claim} ${value}`)
    .join('<br>');
}
