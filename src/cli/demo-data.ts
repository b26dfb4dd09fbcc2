const citizensCsv = `
demo-eleni,Ελένη,Παπαδοπούλου,1990-02-03,el,Αθήνα,105 57
demo-oleksandr,Олександр,Шевченко,1984-11-21,uk,Київ,01001
demo-layla,ليلى,الحداد,1995-07-30,ar,عمّان,11118
demo-weimin,伟民,陈,1978-05-09,zh,上海,200001
demo-haruka,遥,佐藤,2001-12-24,ja,東京,100-0001
demo-anh,Ánh Nguyệt,Nguyễn,1988-08-08,vi,Hà Nội,100000
demo-sigridur,Sigríður,Jónsdóttir,1969-01-17,is,Reykjavík,101
demo-joao,João Maria,dos Santos Conceição,1957-03-31,pt,Lisboa,1100-148
demo-aine,Áine,O'Brien-Ní Dhomhnaill,1993-10-05,ga,Gaillimh,H91 A2CD
demo-juergen,Jürgen,Müller-Groß,1972-06-12,de,Köln,50667
demo-lukasz,Łukasz,Wiśniewski,1999-09-14,pl,Gdańsk,80-831
demo-aarav,आरव,शर्मा,2004-04-01,hi,जयपुर,302001
demo-mary,Mary,Smith,1981-04-25,en,Bristol,BS1 4ST
demo-suharti,,Suharti,1966-02-28,id,Yogyakarta,55111
`;

/** The invented citizens of the demo, in the form of an import, with names in several scripts. */
export const demoCitizens = citizensCsv
  .trim()
  .split('\n')
  .map((line) => {
    const [citizenId = '', givenName = '', familyName = '', birthDate = '', ...home] = line.split(',');
    const [language = '', locality = '', postalCode = ''] = home;
    const email = `${citizenId}@citizens.example`;
    return { citizenId, givenName, familyName, birthDate, language, locality, postalCode, email };
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
    text: 'BIRTH CERTIFICATE\n\nليلى الحداد\n1995-07-30, عمّان\n',
  },
  {
    citizenId: 'demo-mary',
    title: 'Notice of assessment 2025',
    kind: 'notice',
    text: 'NOTICE OF ASSESSMENT 2025\n\nMary Smith\nYou have nothing to pay. You do not need to do anything.\n',
  },
];

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
