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
  /** Below a message, before the id by which the citizen can ask about it. */
  readonly reference: (id: string) => string;
  /** Above the titles of the documents that belong to a message, none of which lies in the envelope or the mail. */
  readonly attached: string;
  /** A text message that announces a longer one; `about` is empty, or the subject in quotes behind a blank. */
  readonly announce: (sender: string, about: string) => string;
  /** The page behind that link. */
  readonly page: {
    readonly title: string;
    readonly ask: (sender: string) => string;
    readonly button: string;
    /** What to do who does not trust it. */
    readonly doubt: (sender: string) => string;
  };
  /** The page behind its button, and of a link that was used before. */
  readonly confirmed: { readonly title: string; readonly text: (sender: string) => string };
  /** The page for a link that is not whole; nobody knows whose it is. */
  readonly unknownLink: { readonly title: string; readonly text: string };
  /** The page while nothing can be stored. */
  readonly notNow: { readonly title: string; readonly text: string };
};

const english: Phrases = {
  language: 'en',
  messageFrom: (sender) => `Message from ${sender}`,
  reminder: (subject) => `Reminder: ${subject}`,
  confirm: 'Confirm that you have received this message',
  reference: (id) => `Reference: ${id}`,
  attached: 'Documents with this message, in your inbox:',
  announce: (sender, about) => `${sender}: a message for you${about} lies in your inbox.`,
  page: {
    title: 'Confirm the receipt',
    ask: (sender) =>
      `${sender} sent you an email with an official message. Press the button to say that you have received it. That says only that it has reached you, not that you agree with it.`,
    button: 'I have received the message',
    doubt: (sender) =>
      `This page asks for nothing else: no password, no personal data, no money. If you do not expect a message from ${sender}, or doubt that it is real, do not press the button. Ask ${sender}, by a phone number or an address that you do not have from the email.`,
  },
  confirmed: {
    title: 'Receipt confirmed',
    text: (sender) => `Thank you. ${sender} now knows that you have received the message. You can close this page.`,
  },
  unknownLink: {
    title: 'This link is not known',
    text: 'Nothing was confirmed. Use the link as it stands in the email, the whole of it. If it does not work even so, ask the service that sent the email.',
  },
  notNow: { title: 'Not possible now', text: 'Please try again in a few minutes.' },
};

const norwegian: Phrases = {
  language: 'nb',
  messageFrom: (sender) => `Melding fra ${sender}`,
  reminder: (subject) => `Påminnelse: ${subject}`,
  confirm: 'Bekreft at du har mottatt denne meldingen',
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
    reference: (id) => `Referenz: ${id}`,
    attached: 'Dokumente zu dieser Nachricht, in Ihrem Postfach:',
    announce: (sender, about) => `${sender}: Eine Nachricht für Sie${about} liegt in Ihrem Postfach.`,
    page: {
      title: 'Empfang bestätigen',
      ask: (sender) =>
        `${sender} hat Ihnen eine E-Mail mit einer amtlichen Nachricht geschickt. Bestätigen Sie mit der Schaltfläche, dass Sie sie erhalten haben. Das heißt nur, dass die Nachricht bei Ihnen angekommen ist, nicht, dass Sie ihr zustimmen.`,
      button: 'Ich habe die Nachricht erhalten',
      doubt: (sender) =>
        `Diese Seite fragt nach nichts anderem: nicht nach einem Passwort, nicht nach persönlichen Daten, nicht nach Geld. Wenn Sie keine Nachricht von ${sender} erwarten oder an ihrer Echtheit zweifeln, drücken Sie nicht auf die Schaltfläche. Fragen Sie nach bei ${sender}, unter einer Telefonnummer oder Adresse, die Sie nicht aus der E-Mail haben.`,
    },
    confirmed: {
      title: 'Empfang bestätigt',
      text: (sender) =>
        `Danke. ${sender} weiß jetzt, dass Sie die Nachricht erhalten haben. Sie können diese Seite schließen.`,
    },
    unknownLink: {
      title: 'Dieser Link ist nicht bekannt',
      text: 'Es wurde nichts bestätigt. Verwenden Sie den Link so, wie er in der E-Mail steht, und zwar den ganzen. Geht es auch dann nicht, fragen Sie die Stelle, die die E-Mail geschickt hat.',
    },
    notNow: { title: 'Jetzt nicht möglich', text: 'Bitte versuchen Sie es in einigen Minuten noch einmal.' },
  },
  fr: {
    language: 'fr',
    messageFrom: (sender) => `Message de ${sender}`,
    reminder: (subject) => `Rappel : ${subject}`,
    confirm: 'Confirmez que vous avez reçu ce message',
    reference: (id) => `Référence : ${id}`,
    attached: 'Documents joints à ce message, dans votre boîte de réception :',
    announce: (sender, about) => `${sender} : un message pour vous${about} se trouve dans votre boîte de réception.`,
    page: {
      title: 'Confirmer la réception',
      ask: (sender) =>
        `${sender} vous a envoyé un courriel avec un message officiel. Appuyez sur le bouton pour indiquer que vous l’avez reçu. Cela signifie seulement que le message vous est parvenu, et non que vous l’acceptez.`,
      button: 'J’ai reçu le message',
      doubt: (sender) =>
        `Cette page ne demande rien d’autre : ni mot de passe, ni données personnelles, ni argent. Si vous n’attendez pas de message de ${sender}, ou si vous doutez de son authenticité, n’appuyez pas sur le bouton. Renseignez-vous auprès de ${sender}, à un numéro ou à une adresse que vous ne tenez pas du courriel.`,
    },
    confirmed: {
      title: 'Réception confirmée',
      text: (sender) =>
        `Merci. ${sender} sait maintenant que vous avez reçu le message. Vous pouvez fermer cette page.`,
    },
    unknownLink: {
      title: 'Ce lien est inconnu',
      text: 'Rien n’a été confirmé. Utilisez le lien tel qu’il figure dans le courriel, en entier. S’il ne fonctionne toujours pas, adressez-vous au service qui a envoyé le courriel.',
    },
    notNow: { title: 'Impossible pour le moment', text: 'Veuillez réessayer dans quelques minutes.' },
  },
  es: {
    language: 'es',
    messageFrom: (sender) => `Mensaje de ${sender}`,
    reminder: (subject) => `Recordatorio: ${subject}`,
    confirm: 'Confirme que ha recibido este mensaje',
    reference: (id) => `Referencia: ${id}`,
    attached: 'Documentos de este mensaje, en su buzón:',
    announce: (sender, about) => `${sender}: tiene un mensaje${about} en su buzón.`,
    page: {
      title: 'Confirmar la recepción',
      ask: (sender) =>
        `${sender} le ha enviado un correo con un mensaje oficial. Pulse el botón para indicar que lo ha recibido. Esto solo significa que el mensaje le ha llegado, no que esté de acuerdo con él.`,
      button: 'He recibido el mensaje',
      doubt: (sender) =>
        `Esta página no pide nada más: ni contraseñas, ni datos personales, ni dinero. Si no espera ningún mensaje de ${sender}, o duda de que sea auténtico, no pulse el botón. Pregunte a ${sender}, en un teléfono o una dirección que no haya tomado del correo.`,
    },
    confirmed: {
      title: 'Recepción confirmada',
      text: (sender) => `Gracias. ${sender} sabe ahora que ha recibido el mensaje. Puede cerrar esta página.`,
    },
    unknownLink: {
      title: 'Este enlace no se conoce',
      text: 'No se ha confirmado nada. Use el enlace tal como aparece en el correo, completo. Si tampoco así funciona, pregunte al servicio que envió el correo.',
    },
    notNow: { title: 'No es posible ahora', text: 'Inténtelo de nuevo dentro de unos minutos.' },
  },
  pt: {
    language: 'pt',
    messageFrom: (sender) => `Mensagem de ${sender}`,
    reminder: (subject) => `Lembrete: ${subject}`,
    confirm: 'Confirme que recebeu esta mensagem',
    reference: (id) => `Referência: ${id}`,
    attached: 'Documentos desta mensagem, na sua caixa de correio:',
    announce: (sender, about) => `${sender}: tem uma mensagem${about} na sua caixa de correio.`,
    page: {
      title: 'Confirmar a receção',
      ask: (sender) =>
        `${sender} enviou-lhe um e-mail com uma mensagem oficial. Prima o botão para indicar que a recebeu. Isso significa apenas que a mensagem lhe chegou, não que concorda com ela.`,
      button: 'Recebi a mensagem',
      doubt: (sender) =>
        `Esta página não pede mais nada: nem palavra-passe, nem dados pessoais, nem dinheiro. Se não espera uma mensagem de ${sender}, ou duvida de que seja verdadeira, não prima o botão. Pergunte a ${sender}, por um número de telefone ou um endereço que não tenha tirado do e-mail.`,
    },
    confirmed: {
      title: 'Receção confirmada',
      text: (sender) => `Obrigado. ${sender} sabe agora que recebeu a mensagem. Pode fechar esta página.`,
    },
    unknownLink: {
      title: 'Esta ligação não é conhecida',
      text: 'Nada foi confirmado. Use a ligação tal como está no e-mail, completa. Se mesmo assim não funcionar, pergunte ao serviço que enviou o e-mail.',
    },
    notNow: { title: 'Não é possível agora', text: 'Tente novamente dentro de alguns minutos.' },
  },
  it: {
    language: 'it',
    messageFrom: (sender) => `Messaggio da ${sender}`,
    reminder: (subject) => `Promemoria: ${subject}`,
    confirm: 'Confermi di aver ricevuto questo messaggio',
    reference: (id) => `Riferimento: ${id}`,
    attached: 'Documenti di questo messaggio, nella Sua casella:',
    announce: (sender, about) => `${sender}: un messaggio per Lei${about} si trova nella Sua casella.`,
    page: {
      title: 'Confermare la ricezione',
      ask: (sender) =>
        `${sender} Le ha inviato una e-mail con un messaggio ufficiale. Prema il pulsante per indicare che l’ha ricevuto. Ciò significa solo che il messaggio Le è arrivato, non che lo approva.`,
      button: 'Ho ricevuto il messaggio',
      doubt: (sender) =>
        `Questa pagina non chiede altro: né password, né dati personali, né denaro. Se non attende un messaggio da ${sender}, o dubita che sia autentico, non prema il pulsante. Si rivolga a ${sender}, a un numero di telefono o a un indirizzo che non ha preso dalla e-mail.`,
    },
    confirmed: {
      title: 'Ricezione confermata',
      text: (sender) => `Grazie. Ora ${sender} sa che ha ricevuto il messaggio. Può chiudere questa pagina.`,
    },
    unknownLink: {
      title: 'Questo collegamento non è noto',
      text: 'Non è stato confermato nulla. Usi il collegamento così come si trova nella e-mail, per intero. Se anche così non funziona, si rivolga al servizio che ha inviato la e-mail.',
    },
    notNow: { title: 'Ora non è possibile', text: 'Riprovi tra qualche minuto.' },
  },
  nl: {
    language: 'nl',
    messageFrom: (sender) => `Bericht van ${sender}`,
    reminder: (subject) => `Herinnering: ${subject}`,
    confirm: 'Bevestig dat u dit bericht hebt ontvangen',
    reference: (id) => `Referentie: ${id}`,
    attached: 'Documenten bij dit bericht, in uw postvak:',
    announce: (sender, about) => `${sender}: er staat een bericht voor u${about} in uw postvak.`,
    page: {
      title: 'Ontvangst bevestigen',
      ask: (sender) =>
        `${sender} heeft u een e-mail met een officieel bericht gestuurd. Druk op de knop om te laten weten dat u het hebt ontvangen. Dat zegt alleen dat het bericht u heeft bereikt, niet dat u het ermee eens bent.`,
      button: 'Ik heb het bericht ontvangen',
      doubt: (sender) =>
        `Deze pagina vraagt om niets anders: geen wachtwoord, geen persoonlijke gegevens, geen geld. Verwacht u geen bericht van ${sender}, of twijfelt u of het echt is, druk dan niet op de knop. Vraag het ${sender}, via een telefoonnummer of adres dat u niet uit de e-mail hebt.`,
    },
    confirmed: {
      title: 'Ontvangst bevestigd',
      text: (sender) => `Dank u. ${sender} weet nu dat u het bericht hebt ontvangen. U kunt deze pagina sluiten.`,
    },
    unknownLink: {
      title: 'Deze link is niet bekend',
      text: 'Er is niets bevestigd. Gebruik de link zoals die in de e-mail staat, in zijn geheel. Werkt hij ook dan niet, vraag het dan aan de dienst die de e-mail heeft gestuurd.',
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
