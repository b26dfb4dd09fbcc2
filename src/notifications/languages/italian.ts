import type { Phrases } from './phrases.ts';

export const italian: Phrases = {
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
};
