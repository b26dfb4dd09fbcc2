const citizensCsv = `
demo-eleni,Ελένη,Παπαδοπούλου,1990-02-03,el,Αθήνα,105 57
demo-oleksandr,Олександр,Шевченко,1984-11-21,uk,Київ,01001,+46701740606
demo-layla,ليلى,الحداد,1995-07-30,ar,عمّان,11118
demo-weimin,伟民,陈,1978-05-09,zh,上海,200001
demo-haruka,遥,佐藤,2001-12-24,ja,東京,100-0001
demo-anh,Ánh Nguyệt,Nguyễn,1988-08-08,vi,Hà Nội,100000
demo-sigridur,Sigríður,Jónsdóttir,1969-01-17,is,Reykjavík,101
demo-joao,João Maria,dos Santos Conceição,1957-03-31,pt,Lisboa,1100-148
demo-aine,Áine,O'Brien-Ní Dhomhnaill,1993-10-05,ga,Gaillimh,H91 A2CD
demo-juergen,Jürgen,Müller-Groß,1972-06-12,de,Köln,50667
demo-lukasz,Łukasz,Wiśniewski,1999-09-14,pl,Gdańsk,80-831,+46701740607,ul. Wymyślona 14,PL
demo-aarav,आरव,शर्मा,2004-04-01,hi,जयपुर,302001
demo-mary,Mary,Smith,1981-04-25,en,Bristol,BS1 4ST
demo-suharti,,Suharti,1966-02-28,id,Yogyakarta,55111
`;

/** The invented citizens of the demo, in the form of an import, with names in several scripts. The phone numbers are reserved for fiction. */
export const demoCitizens = citizensCsv
  .trim()
  .split('\n')
  .map((line) => {
    const [citizenId = '', givenName = '', familyName = '', birthDate = '', ...home] = line.split(',');
    const [language = '', locality = '', postalCode = '', phone = '', streetAddress = '', country = ''] = home;
    const email = `${citizenId}@citizens.example`;
    const address = { streetAddress, postalCode, locality, country };
    return { citizenId, givenName, familyName, birthDate, language, ...address, email, phone };
  });

/** A document of the demo. It is plain text, so that the printed command shows it in a shell. */
export type DemoDocument = {
  readonly citizenId: string;
  readonly title: string;
  readonly kind: string;
  readonly text: string;
};

/** The documents that the demo deposits. */
export const demoDocuments: readonly DemoDocument[] = [
  {
    citizenId: 'demo-eleni',
    title: 'Building permit 2026/118',
    kind: 'permit',
    text: 'BUILDING PERMIT 2026/118\n\nIssued to Ελένη Παπαδοπούλου.\nOne garden shed, up to 12 square metres.\n',
  },
  {
    citizenId: 'demo-layla',
    title: 'شهادة ميلاد',
    kind: 'certificate',
    text: 'شهادة ميلاد\n\nليلى الحداد\n1995-07-30، عمّان\n',
  },
  {
    citizenId: 'demo-mary',
    title: 'Notice of assessment 2025',
    kind: 'notice',
    text: 'NOTICE OF ASSESSMENT 2025\n\nMary Smith\nYou have nothing to pay. You do not need to do anything.\n',
  },
];

/** A message of the demo, as the body of a send; `respondInDays` counts from the start of the demo. */
export type DemoMessage = {
  readonly citizenId: string;
  readonly subject: string;
  readonly message: string;
  readonly category?: 'decision';
  readonly legalEffect?: string;
  readonly respondInDays?: number;
  /** The demo sends such a message only if it captures all channels, so that its start calls no provider. */
  readonly channels?: readonly ('email' | 'sms' | 'letter')[];
};

/** How the service of the demo writes to citizens. The phone number is reserved for fiction. */
export const demoSenderSettings = {
  replyTo: 'permits@service.example',
  contactPhone: '+44 20 7946 0123',
  contactEmail: 'permits@service.example',
  contactUrl: 'https://permits.service.example/',
  smsSender: 'DemoPermits',
};

/** The messages that the demo sends. */
export const demoMessages: readonly DemoMessage[] = [
  {
    citizenId: 'demo-eleni',
    subject: 'Η οικοδομική σας άδεια',
    message:
      'Η οικοδομική σας άδεια **2026/118** είναι έτοιμη.\n\n- Ισχύει για μία αποθήκη κήπου έως 12 τ.μ.\n- Συνδεθείτε για να τη διαβάσετε.',
  },
  { citizenId: 'demo-layla', subject: 'مستند جديد لك', message: 'لديك مستند جديد. سجّلي الدخول لقراءته.' },
  {
    citizenId: 'demo-mary',
    subject: 'A document for you',
    message: 'You have a new document. Sign in to read it.',
  },
  {
    citizenId: 'demo-mary',
    subject: 'Decision on your parking permit',
    message:
      'We have refused your application for a parking permit, because your building has its own car park.\n\nYou can object to this decision within 30 days after it counts as delivered.',
    category: 'decision',
    legalEffect: 'after-7-days',
    respondInDays: 30,
  },
  {
    citizenId: 'demo-oleksandr',
    subject: 'Ваш паспорт готовий',
    message: 'Ваш новий паспорт готовий. Візьміть із собою старий паспорт.',
    channels: ['sms'],
  },
  {
    citizenId: 'demo-lukasz',
    subject: 'Decyzja w sprawie podatku od nieruchomości',
    message:
      'Podatek od nieruchomości za 2026 rok wynosi 412,30 zł.\n\nJeżeli nie zgadzasz się z tą decyzją, możesz złożyć odwołanie.',
    category: 'decision',
    respondInDays: 30,
    channels: ['email', 'sms', 'letter'],
  },
];

/** The texts of the sign-in that say what the pages of a person show, in the order of the list. */
export const demoShows: Readonly<Record<string, string>> = {
  'demo-mary': 'A decision with a legal effect and a deadline, a message and a document, in English',
  'demo-lukasz': 'A decision with a deadline, in Polish, also sent by email, text message and letter',
  'demo-layla': 'A message and a document in Arabic',
  'demo-eleni': 'A message with a list and a document, in Greek and English',
  'demo-oleksandr': 'A message in Ukrainian, also sent as a text message',
};

type DemoClient = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
};
type StoredDocument = { readonly id: string; readonly citizenId: string };

/** The content of `demo.json`: the addresses of the demo, its clients, its citizens and its documents. */
export type DemoFile = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly clients: readonly DemoClient[];
  readonly citizens: readonly Pick<
    (typeof demoCitizens)[number],
    'citizenId' | 'givenName' | 'familyName' | 'birthDate' | 'email'
  >[];
  readonly documents: readonly StoredDocument[];
};
