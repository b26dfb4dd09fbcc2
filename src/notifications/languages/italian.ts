import type { Phrases } from './phrases.ts';

export const italianPhrases: Phrases = {
  language: 'it',
  messageFrom: (sender) => `Messaggio da ${sender}`,
  reminder: (subject) => `Promemoria: ${subject}`,
  confirm: 'Confermi di aver ricevuto questo messaggio',
  inbox: 'Legga questo messaggio nella Sua casella',
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
  failedVerifications: {
    subject: 'Qualcuno ha tentato di far confermare dati che La riguardano',
    paragraphs: [
      'Uno o più servizi hanno chiesto più volte al registro se certi dati personali sono Suoi. Quei dati non corrispondevano.',
      'Ciò non significa che qualcuno abbia i Suoi dati: il registro non ha comunicato nulla di ciò che conserva su di Lei, e nulla è stato modificato. Non significa nemmeno che Lei abbia fatto qualcosa di sbagliato.',
      'Dopo, per precauzione, il registro non conferma alcun dato su di Lei, nemmeno se esatto, per un giorno o più. Se in questo periodo un servizio non riesce a confermare chi è Lei, riprovi più tardi o chieda al servizio un altro modo.',
      'È stato un Suo tentativo, forse con un nome scritto male o un vecchio indirizzo? Allora non deve fare nulla. Altrimenti guardi nell’elenco degli utilizzi dei Suoi dati chi ha chiesto, e avvisi quel servizio. Nessuno ha bisogno di una password o di denaro da parte Sua per questo messaggio.',
    ],
  },
  code: {
    subject: 'Il Suo codice',
    text: (code, minutes) =>
      `Il Suo codice è ${code}. Lo inserisca entro ${minutes} minuti dove lo ha chiesto. Se non ha chiesto un codice, non deve fare nulla. Non lo dica a nessuno: nessuno ne ha bisogno.`,
  },
  addressChanged: {
    email: {
      subject: 'Il Suo indirizzo e-mail per i messaggi ufficiali è stato modificato',
      text: 'I messaggi ufficiali per Lei non vengono più inviati all’indirizzo e-mail precedente. Restano nella Sua casella.',
    },
    sms: {
      subject: 'Il Suo numero di telefono per i messaggi ufficiali è stato modificato',
      text: 'I messaggi ufficiali per Lei non vengono più inviati al numero di telefono precedente. Restano nella Sua casella.',
    },
    doubt:
      'È stata una Sua modifica? Allora non deve fare nulla. Altrimenti qualcun altro ha effettuato l’accesso al posto Suo: acceda, rimuova il nuovo recapito e avvisi il servizio presso il quale ha il Suo account.',
  },
  citizenLock: {
    set: {
      subject: 'I Suoi dati sono bloccati',
      text: 'Da ora il registro non conferma a nessun servizio dati su di Lei, nemmeno esatti, e neppure quando serve a Lei. Resta così finché non toglie il blocco, nella pagina con i Suoi dati nel registro.',
    },
    lifted: {
      subject: 'I Suoi dati non sono più bloccati',
      text: 'Lei aveva bloccato i Suoi dati. Quel blocco è stato tolto: i servizi possono di nuovo far confermare dati su di Lei. Può bloccarli di nuovo in qualsiasi momento.',
    },
    byStaff: (reason) => `Lo ha tolto il personale del registro. Il motivo: ${reason}`,
    doubt:
      'È stato Lei? Allora non deve fare nulla. Se no, qualcun altro è entrato a Suo nome: blocchi o sblocchi i Suoi dati come desidera e avvisi il servizio presso il quale ha il Suo account.',
  },
};
