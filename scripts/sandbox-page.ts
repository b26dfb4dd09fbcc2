import { type PersonaCase, type PersonaQuestion, personaCases, personas } from '../src/cli/personas.ts';

/** The people of all cases as JSON lines, for `import citizens`. */
export function sandboxPeople(): string {
  return personas.map((person) => `${JSON.stringify(person)}\n`).join('');
}

/** What may be asked about them, for programs. */
export function sandboxQuestions(): string {
  const questions = personaCases.flatMap(({ about, questions: questionsOfCase }) =>
    questionsOfCase.map((question) => ({ about, ...question })),
  );
  return `${JSON.stringify(questions, null, 2)}\n`;
}

/** The page of the sandbox: by hand up to the cases. */
export function sandboxPage(): string {
  return `# A sandbox for service teams

Invented people on whom you try what your program makes of each answer, without a real citizen. The demo has them. In a sandbox of your
own (a server with \`SIMULATORS=true\`, [settings.md](settings.md#simulators)) an operator imports them
(\`cs\` is the [command line](operating.md#settings-and-keys)):

    cs import citizens /absolute/path/docs/sandbox/people.jsonl

[sandbox/questions.json](sandbox/questions.json) has every question below with its answer, for a test that goes through them all. The answers
are those of the policy \`standard-2026-2\` ([identity.md](identity.md#policies)). Asked once more the same wrong claims cost nothing; other
wrong ones are guesses, and after five about one person all that follows is \`no_match\` for a day: try that too, and see the message to the
citizen.

Two more are played, whoever is imported. Claims about \`sim-register-down\` find the register unavailable, and are \`not_determined\`. What
messages to \`sim-delivered\` and others come to is in [notifications.md](notifications.md#simulator-citizens). Made by \`npm run generate\`.
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
