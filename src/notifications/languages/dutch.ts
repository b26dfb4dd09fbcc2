import type { Phrases } from './phrases.ts';

export const dutchPhrases: Phrases = {
  language: 'nl',
  messageFrom: (sender) => `Bericht van ${sender}`,
  reminder: (subject) => `Herinnering: ${subject}`,
  confirm: 'Bevestig dat u dit bericht hebt ontvangen',
  inbox: 'Lees dit bericht in uw postvak',
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
  failedVerifications: {
    subject: 'Iemand probeerde gegevens over u te laten bevestigen',
    paragraphs: [
      'Een of meer diensten hebben het register meermaals gevraagd of bepaalde persoonlijke gegevens van u zijn. Die gegevens klopten niet.',
      'Dat betekent niet dat iemand uw gegevens heeft: het register heeft niets gegeven van wat het over u bewaart, en er is niets gewijzigd. Het betekent ook niet dat u iets verkeerd hebt gedaan.',
      'Daarna bevestigt het register uit voorzorg een dag of langer geen gegevens over u, ook geen juiste. Kan een dienst in die tijd niet bevestigen wie u bent, probeer het dan later opnieuw of vraag de dienst om een andere manier.',
      'Was u het zelf, misschien met een verkeerd gespelde naam of een oud adres? Dan hoeft u niets te doen. Zo niet, kijk dan in de lijst van het gebruik van uw gegevens wie het gevraagd heeft, en laat het die dienst weten. Niemand heeft vanwege dit bericht een wachtwoord of geld van u nodig.',
    ],
  },
  code: {
    subject: 'Uw code',
    text: (code, minutes) =>
      `Uw code is ${code}. Voer hem binnen ${minutes} minuten in waar u erom hebt gevraagd. Hebt u geen code gevraagd, dan hoeft u niets te doen. Geef hem aan niemand: niemand heeft hem van u nodig.`,
  },
  addressChanged: {
    email: {
      subject: 'Uw e-mailadres voor officiële berichten is gewijzigd',
      text: 'Officiële berichten voor u gaan niet meer naar het vorige e-mailadres. Ze staan nog steeds in uw postvak.',
    },
    sms: {
      subject: 'Uw telefoonnummer voor officiële berichten is gewijzigd',
      text: 'Officiële berichten voor u gaan niet meer naar het vorige telefoonnummer. Ze staan nog steeds in uw postvak.',
    },
    doubt:
      'Was u het zelf? Dan hoeft u niets te doen. Zo niet, dan heeft iemand anders als u ingelogd: log in, verwijder het nieuwe gegeven en laat het weten aan de dienst waar u uw account hebt.',
  },
  citizenLock: {
    set: {
      subject: 'Uw gegevens zijn geblokkeerd',
      text: 'Vanaf nu bevestigt het register aan geen enkele dienst gegevens over u, ook geen juiste, en ook niet als u het zelf nodig hebt. Dat blijft zo tot u de blokkering opheft, op de pagina met uw gegevens in het register.',
    },
    lifted: {
      subject: 'Uw gegevens zijn niet meer geblokkeerd',
      text: 'U had uw gegevens geblokkeerd. Die blokkering is opgeheven: diensten kunnen gegevens over u weer laten bevestigen. U kunt ze altijd opnieuw blokkeren.',
    },
    byStaff: (reason) => `Medewerkers van het register hebben haar opgeheven. De reden: ${reason}`,
    doubt:
      'Was u het? Dan hoeft u niets te doen. Zo niet, dan heeft iemand anders zich als u aangemeld: blokkeer of deblokkeer uw gegevens zoals u wilt en laat het weten aan de dienst waar u uw account hebt.',
  },
};
