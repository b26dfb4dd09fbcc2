/** The few words that this server adds to messages, in one language. */
export type Phrases = {
  /** The subject of a message without one. */
  readonly messageFrom: (sender: string) => string;
  readonly reminder: (subject: string) => string;
  /** Above the link by which the receipt of a mail is confirmed. */
  readonly confirm: string;
  /** A text message that announces a longer one; `about` is empty, or the subject in quotes behind a blank. */
  readonly announce: (sender: string, about: string) => string;
  /** The page behind that link. */
  readonly page: { readonly title: string; readonly ask: string; readonly button: string; readonly thanks: string };
};

const english: Phrases = {
  messageFrom: (sender) => `Message from ${sender}`,
  reminder: (subject) => `Reminder: ${subject}`,
  confirm: 'Confirm that you have received this message',
  announce: (sender, about) => `${sender}: a message for you${about} lies in your inbox.`,
  page: {
    title: 'Confirm the receipt',
    ask: 'You have got a mail with an official message. Tell its sender that you have received it:',
    button: 'I have received the message',
    thanks: 'Thank you. The sender knows now that you have received the message. You can close this page.',
  },
};

const norwegian: Phrases = {
  messageFrom: (sender) => `Melding fra ${sender}`,
  reminder: (subject) => `Påminnelse: ${subject}`,
  confirm: 'Bekreft at du har mottatt denne meldingen',
  announce: (sender, about) => `${sender}: en melding til deg${about} ligger i innboksen din.`,
  page: {
    title: 'Bekreft mottak',
    ask: 'Du har fått en e-post med en offentlig melding. Fortell avsenderen at du har mottatt den:',
    button: 'Jeg har mottatt meldingen',
    thanks: 'Takk. Avsenderen vet nå at du har mottatt meldingen. Du kan lukke denne siden.',
  },
};

/** By the first part of a language tag; whoever knows another language adds it here. */
const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  no: norwegian,
  nb: norwegian,
  nn: norwegian,
  de: {
    messageFrom: (sender) => `Nachricht von ${sender}`,
    reminder: (subject) => `Erinnerung: ${subject}`,
    confirm: 'Bestätigen Sie, dass Sie diese Nachricht erhalten haben',
    announce: (sender, about) => `${sender}: Eine Nachricht für Sie${about} liegt in Ihrem Postfach.`,
    page: {
      title: 'Empfang bestätigen',
      ask: 'Sie haben eine E-Mail mit einer amtlichen Nachricht bekommen. Sagen Sie dem Absender, dass Sie sie erhalten haben:',
      button: 'Ich habe die Nachricht erhalten',
      thanks:
        'Danke. Der Absender weiß jetzt, dass Sie die Nachricht erhalten haben. Sie können diese Seite schließen.',
    },
  },
  fr: {
    messageFrom: (sender) => `Message de ${sender}`,
    reminder: (subject) => `Rappel : ${subject}`,
    confirm: 'Confirmez que vous avez reçu ce message',
    announce: (sender, about) => `${sender} : un message pour vous${about} se trouve dans votre boîte de réception.`,
    page: {
      title: 'Confirmer la réception',
      ask: 'Vous avez reçu un courriel avec un message officiel. Dites à l’expéditeur que vous l’avez reçu :',
      button: 'J’ai reçu le message',
      thanks: 'Merci. L’expéditeur sait maintenant que vous avez reçu le message. Vous pouvez fermer cette page.',
    },
  },
  es: {
    messageFrom: (sender) => `Mensaje de ${sender}`,
    reminder: (subject) => `Recordatorio: ${subject}`,
    confirm: 'Confirme que ha recibido este mensaje',
    announce: (sender, about) => `${sender}: tiene un mensaje${about} en su buzón.`,
    page: {
      title: 'Confirmar la recepción',
      ask: 'Ha recibido un correo con un mensaje oficial. Diga al remitente que lo ha recibido:',
      button: 'He recibido el mensaje',
      thanks: 'Gracias. El remitente sabe ahora que ha recibido el mensaje. Puede cerrar esta página.',
    },
  },
  pt: {
    messageFrom: (sender) => `Mensagem de ${sender}`,
    reminder: (subject) => `Lembrete: ${subject}`,
    confirm: 'Confirme que recebeu esta mensagem',
    announce: (sender, about) => `${sender}: tem uma mensagem${about} na sua caixa de correio.`,
    page: {
      title: 'Confirmar a receção',
      ask: 'Recebeu um e-mail com uma mensagem oficial. Diga ao remetente que a recebeu:',
      button: 'Recebi a mensagem',
      thanks: 'Obrigado. O remetente sabe agora que recebeu a mensagem. Pode fechar esta página.',
    },
  },
  it: {
    messageFrom: (sender) => `Messaggio da ${sender}`,
    reminder: (subject) => `Promemoria: ${subject}`,
    confirm: 'Confermi di aver ricevuto questo messaggio',
    announce: (sender, about) => `${sender}: un messaggio per Lei${about} si trova nella Sua casella.`,
    page: {
      title: 'Confermare la ricezione',
      ask: 'Ha ricevuto una e-mail con un messaggio ufficiale. Dica al mittente che l’ha ricevuto:',
      button: 'Ho ricevuto il messaggio',
      thanks: 'Grazie. Ora il mittente sa che ha ricevuto il messaggio. Può chiudere questa pagina.',
    },
  },
  nl: {
    messageFrom: (sender) => `Bericht van ${sender}`,
    reminder: (subject) => `Herinnering: ${subject}`,
    confirm: 'Bevestig dat u dit bericht hebt ontvangen',
    announce: (sender, about) => `${sender}: er staat een bericht voor u${about} in uw postvak.`,
    page: {
      title: 'Ontvangst bevestigen',
      ask: 'U hebt een e-mail met een officieel bericht gekregen. Laat de afzender weten dat u het hebt ontvangen:',
      button: 'Ik heb het bericht ontvangen',
      thanks: 'Dank u. De afzender weet nu dat u het bericht hebt ontvangen. U kunt deze pagina sluiten.',
    },
  },
};

/** The words for a language tag (BCP 47), English where there are none. */
export function phrasesOf(language: string | undefined): Phrases {
  return byLanguage[languageOf(language)] ?? english;
}

/** The first language that is known here of an `Accept-Language` header, in the order in which it names them. */
export function wishedLanguage(header: string | undefined): string {
  const named = (header ?? '').split(',').map((range) => languageOf(range.split(';', 1)[0]));
  return named.find((language) => language in byLanguage) ?? 'en';
}

function languageOf(tag: string | undefined): string {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byLanguage, language) ? language : '';
}
