import type { Phrases } from './phrases.ts';

export const dutch: Phrases = {
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
};
