import type { Phrases } from './phrases.ts';

export const norwegianPhrases: Phrases = {
  language: 'nb',
  messageFrom: (sender) => `Melding fra ${sender}`,
  reminder: (subject) => `Påminnelse: ${subject}`,
  confirm: 'Bekreft at du har mottatt denne meldingen',
  inbox: 'Les denne meldingen i innboksen din',
  reference: (id) => `Referanse: ${id}`,
  attached: 'Dokumenter til denne meldingen, i innboksen din:',
  announce: (sender, about) => `${sender}: en melding til deg${about} ligger i innboksen din.`,
  page: {
    title: 'Bekreft mottak',
    ask: (sender) =>
      `${sender} har sendt deg en e-post med en offentlig melding. Trykk på knappen for å si at du har mottatt den. Det sier bare at den har nådd deg, ikke at du er enig i den.`,
    button: 'Jeg har mottatt meldingen',
    doubt: (sender) =>
      `Denne siden ber ikke om noe annet: ikke passord, ikke personopplysninger, ikke penger. Hvis du ikke venter en melding fra ${sender}, eller tviler på at den er ekte, skal du ikke trykke på knappen. Spør ${sender}, via et telefonnummer eller en adresse som du ikke har fra e-posten.`,
  },
  confirmed: {
    title: 'Mottak bekreftet',
    text: (sender) => `Takk. ${sender} vet nå at du har mottatt meldingen. Du kan lukke denne siden.`,
  },
  unknownLink: {
    title: 'Denne lenken er ukjent',
    text: 'Ingenting er bekreftet. Bruk lenken slik den står i e-posten, hele lenken. Hvis den ikke virker da heller, spør tjenesten som sendte e-posten.',
  },
  notNow: { title: 'Ikke mulig nå', text: 'Prøv igjen om noen minutter.' },
  failedVerifications: {
    subject: 'Noen prøvde å få bekreftet opplysninger om deg',
    paragraphs: [
      'En eller flere tjenester har spurt registeret flere ganger om visse personopplysninger er dine. Opplysningene stemte ikke.',
      'Det betyr ikke at noen har opplysningene dine: Registeret har ikke gitt ut noe av det som er lagret om deg, og ingenting er endret. Det betyr heller ikke at du har gjort noe galt.',
      'Etter det bekrefter registeret for sikkerhets skyld ingen opplysninger om deg, heller ikke riktige, i et døgn eller lenger. Hvis en tjeneste ikke kan bekrefte hvem du er i den tiden, prøv igjen senere, eller be tjenesten om en annen måte.',
      'Var det du selv, kanskje med et feilstavet navn eller en gammel adresse? Da trenger du ikke å gjøre noe. Hvis ikke, se i listen over bruk av opplysningene dine hvem som spurte, og si fra til den tjenesten. Ingen trenger passord eller penger fra deg på grunn av denne meldingen.',
    ],
  },
  code: {
    subject: 'Koden din',
    text: (code, minutes) =>
      `Koden din er ${code}. Oppgi den innen ${minutes} minutter der du ba om den. Hvis du ikke har bedt om en kode, trenger du ikke å gjøre noe. Ikke gi den til noen: Ingen trenger den fra deg.`,
  },
  addressChanged: {
    email: {
      subject: 'E-postadressen din for offentlige meldinger er endret',
      text: 'Offentlige meldinger til deg sendes ikke lenger til den tidligere e-postadressen. De ligger fortsatt i innboksen din.',
    },
    sms: {
      subject: 'Telefonnummeret ditt for offentlige meldinger er endret',
      text: 'Offentlige meldinger til deg sendes ikke lenger til det tidligere telefonnummeret. De ligger fortsatt i innboksen din.',
    },
    doubt:
      'Var det du? Da trenger du ikke å gjøre noe. Hvis ikke, har noen andre logget inn som deg: Logg inn, fjern den nye, og si fra til tjenesten der du har kontoen din.',
  },
  citizenLock: {
    set: {
      subject: 'Opplysningene dine er sperret',
      text: 'Fra nå av bekrefter registeret ingen opplysninger om deg til noen tjeneste, heller ikke riktige, og heller ikke når du selv trenger det. Slik er det til du opphever sperren, på siden med opplysningene dine i registeret.',
    },
    lifted: {
      subject: 'Opplysningene dine er ikke sperret lenger',
      text: 'Du hadde sperret opplysningene dine. Den sperren er opphevet: tjenester kan igjen få bekreftet opplysninger om deg. Du kan sperre dem på nytt når som helst.',
    },
    byStaff: (reason) => `De ansatte i registeret opphevet den. Grunnen: ${reason}`,
    doubt:
      'Var det deg? Da trenger du ikke gjøre noe. Hvis ikke, har noen andre logget inn som deg: sperr eller opphev sperren slik du vil ha det, og si fra til tjenesten der du har kontoen din.',
  },
};
