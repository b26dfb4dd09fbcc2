import { toInstant } from '../kernel/clock.ts';

/** The few words that this server adds to messages, in one language. */
export type Phrases = {
  /** What they are in: a language tag (BCP 47). */
  readonly language: string;
  /** The subject of a message without one. */
  readonly messageFrom: (sender: string) => string;
  readonly reminder: (subject: string) => string;
  /** Above the link by which the receipt of a mail is confirmed. */
  readonly confirm: string;
  /** Above the titles of the documents that belong to a message, none of which lies in the envelope or the mail. */
  readonly attached: string;
  /** A text message that announces a longer one; `about` is empty, or the subject in quotes behind a blank. */
  readonly announce: (sender: string, about: string) => string;
  /** The page behind that link. */
  readonly page: { readonly title: string; readonly ask: string; readonly button: string };
  /** The page behind its button. */
  readonly confirmed: { readonly title: string; readonly text: string };
  /** The page for a link that is not whole. */
  readonly unknownLink: { readonly title: string; readonly text: string };
  /** The page while nothing can be stored. */
  readonly notNow: { readonly title: string; readonly text: string };
};

const english: Phrases = {
  language: 'en',
  messageFrom: (sender) => `Message from ${sender}`,
  reminder: (subject) => `Reminder: ${subject}`,
  confirm: 'Confirm that you have received this message',
  attached: 'Documents with this message, in your inbox:',
  announce: (sender, about) => `${sender}: a message for you${about} lies in your inbox.`,
  page: {
    title: 'Confirm the receipt',
    ask: 'You have got a mail with an official message. Tell its sender that you have received it:',
    button: 'I have received the message',
  },
  confirmed: {
    title: 'Receipt confirmed',
    text: 'Thank you. The sender knows now that you have received the message. You can close this page.',
  },
  unknownLink: {
    title: 'This link is not known',
    text: 'Use the link as it stands in the mail, the whole of it.',
  },
  notNow: { title: 'Not possible now', text: 'Please try again in a few minutes.' },
};

const norwegian: Phrases = {
  language: 'nb',
  messageFrom: (sender) => `Melding fra ${sender}`,
  reminder: (subject) => `Påminnelse: ${subject}`,
  confirm: 'Bekreft at du har mottatt denne meldingen',
  attached: 'Dokumenter til denne meldingen, i innboksen din:',
  announce: (sender, about) => `${sender}: en melding til deg${about} ligger i innboksen din.`,
  page: {
    title: 'Bekreft mottak',
    ask: 'Du har fått en e-post med en offentlig melding. Fortell avsenderen at du har mottatt den:',
    button: 'Jeg har mottatt meldingen',
  },
  confirmed: {
    title: 'Mottak bekreftet',
    text: 'Takk. Avsenderen vet nå at du har mottatt meldingen. Du kan lukke denne siden.',
  },
  unknownLink: {
    title: 'Denne lenken er ukjent',
    text: 'Bruk lenken slik den står i e-posten, hele lenken.',
  },
  notNow: { title: 'Ikke mulig nå', text: 'Prøv igjen om noen minutter.' },
};

/** By the first part of a language tag; whoever knows another language adds it here. */
const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  no: norwegian,
  nb: norwegian,
  nn: norwegian,
  de: {
    language: 'de',
    messageFrom: (sender) => `Nachricht von ${sender}`,
    reminder: (subject) => `Erinnerung: ${subject}`,
    confirm: 'Bestätigen Sie, dass Sie diese Nachricht erhalten haben',
    attached: 'Dokumente zu dieser Nachricht, in Ihrem Postfach:',
    announce: (sender, about) => `${sender}: Eine Nachricht für Sie${about} liegt in Ihrem Postfach.`,
    page: {
      title: 'Empfang bestätigen',
      ask: 'Sie haben eine E-Mail mit einer amtlichen Nachricht bekommen. Sagen Sie dem Absender, dass Sie sie erhalten haben:',
      button: 'Ich habe die Nachricht erhalten',
    },
    confirmed: {
      title: 'Empfang bestätigt',
      text: 'Danke. Der Absender weiß jetzt, dass Sie die Nachricht erhalten haben. Sie können diese Seite schließen.',
    },
    unknownLink: {
      title: 'Dieser Link ist nicht bekannt',
      text: 'Verwenden Sie den Link so, wie er in der E-Mail steht, und zwar den ganzen.',
    },
    notNow: { title: 'Jetzt nicht möglich', text: 'Bitte versuchen Sie es in einigen Minuten noch einmal.' },
  },
  fr: {
    language: 'fr',
    messageFrom: (sender) => `Message de ${sender}`,
    reminder: (subject) => `Rappel : ${subject}`,
    confirm: 'Confirmez que vous avez reçu ce message',
    attached: 'Documents joints à ce message, dans votre boîte de réception :',
    announce: (sender, about) => `${sender} : un message pour vous${about} se trouve dans votre boîte de réception.`,
    page: {
      title: 'Confirmer la réception',
      ask: 'Vous avez reçu un courriel avec un message officiel. Dites à l’expéditeur que vous l’avez reçu :',
      button: 'J’ai reçu le message',
    },
    confirmed: {
      title: 'Réception confirmée',
      text: 'Merci. L’expéditeur sait maintenant que vous avez reçu le message. Vous pouvez fermer cette page.',
    },
    unknownLink: {
      title: 'Ce lien est inconnu',
      text: 'Utilisez le lien tel qu’il figure dans le courriel, en entier.',
    },
    notNow: { title: 'Impossible pour le moment', text: 'Veuillez réessayer dans quelques minutes.' },
  },
  es: {
    language: 'es',
    messageFrom: (sender) => `Mensaje de ${sender}`,
    reminder: (subject) => `Recordatorio: ${subject}`,
    confirm: 'Confirme que ha recibido este mensaje',
    attached: 'Documentos de este mensaje, en su buzón:',
    announce: (sender, about) => `${sender}: tiene un mensaje${about} en su buzón.`,
    page: {
      title: 'Confirmar la recepción',
      ask: 'Ha recibido un correo con un mensaje oficial. Diga al remitente que lo ha recibido:',
      button: 'He recibido el mensaje',
    },
    confirmed: {
      title: 'Recepción confirmada',
      text: 'Gracias. El remitente sabe ahora que ha recibido el mensaje. Puede cerrar esta página.',
    },
    unknownLink: {
      title: 'Este enlace no se conoce',
      text: 'Use el enlace tal como aparece en el correo, completo.',
    },
    notNow: { title: 'No es posible ahora', text: 'Inténtelo de nuevo dentro de unos minutos.' },
  },
  pt: {
    language: 'pt',
    messageFrom: (sender) => `Mensagem de ${sender}`,
    reminder: (subject) => `Lembrete: ${subject}`,
    confirm: 'Confirme que recebeu esta mensagem',
    attached: 'Documentos desta mensagem, na sua caixa de correio:',
    announce: (sender, about) => `${sender}: tem uma mensagem${about} na sua caixa de correio.`,
    page: {
      title: 'Confirmar a receção',
      ask: 'Recebeu um e-mail com uma mensagem oficial. Diga ao remetente que a recebeu:',
      button: 'Recebi a mensagem',
    },
    confirmed: {
      title: 'Receção confirmada',
      text: 'Obrigado. O remetente sabe agora que recebeu a mensagem. Pode fechar esta página.',
    },
    unknownLink: {
      title: 'Esta ligação não é conhecida',
      text: 'Use a ligação tal como está no e-mail, completa.',
    },
    notNow: { title: 'Não é possível agora', text: 'Tente novamente dentro de alguns minutos.' },
  },
  it: {
    language: 'it',
    messageFrom: (sender) => `Messaggio da ${sender}`,
    reminder: (subject) => `Promemoria: ${subject}`,
    confirm: 'Confermi di aver ricevuto questo messaggio',
    attached: 'Documenti di questo messaggio, nella Sua casella:',
    announce: (sender, about) => `${sender}: un messaggio per Lei${about} si trova nella Sua casella.`,
    page: {
      title: 'Confermare la ricezione',
      ask: 'Ha ricevuto una e-mail con un messaggio ufficiale. Dica al mittente che l’ha ricevuto:',
      button: 'Ho ricevuto il messaggio',
    },
    confirmed: {
      title: 'Ricezione confermata',
      text: 'Grazie. Ora il mittente sa che ha ricevuto il messaggio. Può chiudere questa pagina.',
    },
    unknownLink: {
      title: 'Questo collegamento non è noto',
      text: 'Usi il collegamento così come si trova nella e-mail, per intero.',
    },
    notNow: { title: 'Ora non è possibile', text: 'Riprovi tra qualche minuto.' },
  },
  nl: {
    language: 'nl',
    messageFrom: (sender) => `Bericht van ${sender}`,
    reminder: (subject) => `Herinnering: ${subject}`,
    confirm: 'Bevestig dat u dit bericht hebt ontvangen',
    attached: 'Documenten bij dit bericht, in uw postvak:',
    announce: (sender, about) => `${sender}: er staat een bericht voor u${about} in uw postvak.`,
    page: {
      title: 'Ontvangst bevestigen',
      ask: 'U hebt een e-mail met een officieel bericht gekregen. Laat de afzender weten dat u het hebt ontvangen:',
      button: 'Ik heb het bericht ontvangen',
    },
    confirmed: {
      title: 'Ontvangst bevestigd',
      text: 'Dank u. De afzender weet nu dat u het bericht hebt ontvangen. U kunt deze pagina sluiten.',
    },
    unknownLink: {
      title: 'Deze link is niet bekend',
      text: 'Gebruik de link zoals die in de e-mail staat, in zijn geheel.',
    },
    notNow: { title: 'Nu niet mogelijk', text: 'Probeer het over een paar minuten opnieuw.' },
  },
};

/** The words for a language tag (BCP 47), English where there are none. */
export function phrasesOf(language: string | undefined): Phrases {
  return byLanguage[languageOf(language)] ?? english;
}

/** The day of an instant (UTC) in words of that language, or as ISO 8601 has it where there are none. */
export function dayIn(language: string | undefined, at: number): string {
  const known = languageOf(language);
  if (known === '') return toInstant(at).slice(0, 10);
  // English as the world writes it: the day before the month.
  const locale = known === 'en' ? 'en-001' : known;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}

/** The words in the first language of an `Accept-Language` header that is known here, in the order in which it names them. */
export function wishedPhrases(header: string | undefined): Phrases {
  const named = (header ?? '').split(',').map((range) => languageOf(range.split(';', 1)[0]));
  return phrasesOf(named.find((language) => language !== ''));
}

function languageOf(tag: string | undefined): string {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byLanguage, language) ? language : '';
}
