/**
 * Names in Arabic letters with their unwritten vowels: given names, then parts of family names. a, i and u are short vowels, and long ones
 * where the name has a letter for them. `arabic.ts` derives the usual Latin spellings. Source: the vowels in dictionaries of Arabic names,
 * in ALA-LC letters without marks. A slash separates variants.
 */
const names = `
muhammad محمد ahmad أحمد mahmud محمود hamid حامد hamid حميد hamad حمد hamdi حمدي hamdan حمدان hamada حمادة hasan حسن
husayn/husien حسين hassan حسان husam حسام muhsin محسن ihsan إحسان husni حسني ali علي umar عمر uthman عثمان bakr بكر khalid خالد
khalil خليل walid وليد yusuf/yusif يوسف yunus/yunis يونس ibrahim إبراهيم ismail إسماعيل ishaq إسحاق yaqub يعقوب dawud/daud داود
dawud داوود sulayman/suliman سليمان musa موسى isa/aysa عيسى yahya يحيى zakariya/zakaria زكريا harun هارون idris إدريس ayub أيوب
adam آدم nuh نوح salih صالح shuayb شعيب ilyas/ilias إلياس imran عمران luqman لقمان abd عبد allah/ullah/illah/alla/ulla الله
rahman رحمن rahim رحيم karim كريم aziz عزيز malik مالك salam سلام qadir قادر hakim حكيم halim حليم majid مجيد majid ماجد
latif لطيف wahid وحيد wahid واحد wahab وهاب fatah فتاح razaq رزاق jabbar جبار ghani غني ghafur غفور ghafar غفار nasir ناصر
nasir نصير nasr نصر nassar نصار mansur منصور munir منير munim منعم mutalib مطلب salim سالم salim سليم salman سلمان
salama سلامة muslim مسلم islam إسلام said سعيد saad/sad سعد saud/suud سعود masud مسعود saadi/sadi سعدي asad أسد asad/asaad أسعد
sayid/sayd سيد sidi سيدي jamal جمال jamil جميل kamal كمال kamil كامل jalal جلال jalil جليل bilal بلال hilal هلال talal طلال
nidal نضال tariq طارق tahir طاهر tahsin تحسين taha طه talib طالب tayib/tayb طيب tawfiq توفيق adil عادل alaa/ala علاء amin أمين
amir أمير amir عامر amar عمار anas أنس anwar أنور ashraf أشرف akram أكرم asim عاصم atif عاطف arif عارف ayman أيمن awad عوض
iyad/ayad إياد ayad عياد ayash عياش azam عزام izz عز adnan عدنان abbas عباس amr/amru عمرو badr/badir بدر basim باسم
bassam بسام bashar بشار bashir بشير basil باسل burhan برهان diya/dia ضياء fadi فادي fadil فاضل fadl فضل fahd/fahad فهد
fahim فهيم faysal فيصل farid فريد faris فارس faruq فاروق fathi فتحي fawzi فوزي fawaz فواز firas فراس fuad فؤاد faraj فرج
fayiz/faiz فايز ghassan غسان ghazi غازي ghalib غالب ghulam غلام habib حبيب hadi هادي hafiz حافظ haytham هيثم hamza حمزة
hani هاني harith حارث hatim حاتم haydar حيدر hazim حازم hisham هشام hudhayfa حذيفة ihab إيهاب imad عماد isam عصام jabir جابر
jafar/jaafar جعفر jasim جاسم qasim قاسم jawad جواد jihad جهاد junayd جنيد juma/jumaa جمعة khaldun خلدون khidr/khudr/khadr خضر
khamis خميس khalaf خلف khayri خيري layth ليث lutfi لطفي mahdi مهدي mahir ماهر majdi مجدي mazin مازن marwan مروان
mustafa مصطفى mutasim معتصم mutaz معتز muawiya معاوية mubarak مبارك muhanad مهند muhi محي mujahid مجاهد mukhtar مختار
mundhir منذر murad مراد mursi مرسي musab مصعب muadh معاذ muayad مؤيد mumin مؤمن nabil نبيل nadir نادر naji ناجي najib نجيب
nasim نسيم nawaf نواف nayif نايف naim نعيم nizar نزار numan نعمان nur نور nuri نوري qays قيس qusay قصي rabi/rabie ربيع
ridwan/radwan رضوان rafiq رفيق rafat رأفت raid/rayid رائد rajab رجب ramadan رمضان rami رامي ramzi رمزي rashad رشاد
rashid رشيد rashid راشد rauf/rawuf رؤوف riyad/riad رياض rida رضا sabir صابر sabri صبري sadiq صادق safwan صفوان salah صلاح
sami سامي samih سامح samih سميح samir سمير saqr صقر sayf سيف shadi شادي shafiq شفيق shahin شاهين shakir شاكر sharif شريف
shawqi شوقي shukri شكري subhi صبحي suhayl سهيل sufyan/sufian سفيان sultan سلطان tamir تامر tamim تميم turki تركي uday عدي
ubayd عبيد wadi/wadie وديع wail وائل wajdi وجدي wajih وجيه wasim وسيم wisam وسام yasir ياسر yasin ياسين yazid يزيد
yazan يزن zayd زيد ziyad/ziad زياد zaki زكي zayn زين zahir زاهر zuhayr زهير akbar أكبر asghar أصغر shams شمس
fatima/fatma فاطمة aisha/ayisha عائشة maryam/mariam مريم khadija خديجة zaynab زينب zahra زهراء zahra زهرة amina أمينة
amina/amna آمنة amira أميرة asma أسماء aya آية ayat آيات abir عبير ahlam أحلام alya/alia علياء aliya/alia عالية amal أمل
amani أماني arwa أروى basma بسمة bushra بشرى dalal دلال dalia/dalya داليا dina دينا duaa/dua دعاء duha ضحى iman إيمان
fadwa فدوى farah فرح fayiza/faiza فايزة fatin فاتن fawzia/fawziya فوزية ghada غادة habiba حبيبة hadil هديل hafsa حفصة
hala هالة hana هناء hanan حنان hanin حنين hind هند hiba هبة huda هدى hayat حياة ibtisam ابتسام ikram إكرام ilham إلهام
inas إيناس intisar انتصار isra إسراء jamila جميلة karima كريمة khawla خولة kawthar كوثر lamya/lamia لمياء layla ليلى
latifa لطيفة lina لينا lubna لبنى maha مها majida ماجدة malak ملك manal منال marwa مروة maysa ميساء mayada ميادة may مي
muna منى munira منيرة nabila نبيلة nada ندى nadia/nadya/nadiya نادية naima نعيمة najat نجاة najla نجلاء najwa نجوى
nawal نوال nisrin نسرين nuha نهى nura نورة raja رجاء rana رنا rania/ranya/raniya رانيا rasha رشا rawan روان rim ريم
rihab رحاب ruqaya رقية sabah صباح safa صفاء safia/safiya صفية sahar سحر sakina سكينة salma سلمى salwa سلوى
samia/samya/samiya سامية samira سميرة samar سمر sana سناء sara سارة sawsan سوسن shayma شيماء sharifa شريفة siham سهام
suad سعاد suhayr سهير sumaya سمية taghrid تغريد thuraya ثريا wafa وفاء warda وردة widad وداد yasmin ياسمين yusra يسرى
zakia/zakiya زكية zubayda زبيدة bin بن ibn ابن bint بنت abu أبو abi أبي umm أم din دين
masri مصري shami شامي iraqi عراقي baghdadi بغدادي halabi حلبي hijazi حجازي najar نجار hadad حداد khatib خطيب khuri خوري
sabagh صباغ qadi قاضي hariri حريري ansari أنصاري hashimi هاشمي hashim هاشم husayni حسيني alawi/alaui علوي maliki مالكي
tamimi تميمي qahtani قحطاني ghamdi غامدي zahrani زهراني utaybi عتيبي harbi حربي shamari شمري mutayri مطيري dawsari دوسري
shahri شهري qarni قرني anazi/anzi عنزي juhani جهني sharqawi شرقاوي tantawi طنطاوي badawi بدوي mansuri منصوري
nuaymi نعيمي mazrui مزروعي zaabi زعابي suwaydi سويدي kaabi/kabi كعبي juburi/jaburi جبوري dulaymi دليمي ubaydi عبيدي
khalidi خالدي saidi سعيدي musawi موسوي asadi أسدي bayati بياتي janabi جنابي kurdi كردي farsi فارسي balushi/balawshi بلوشي
harithi/harthi حارثي kindi كندي idrisi إدريسي bannani بناني fasi فاسي rifai رفاعي shafii/shafi شافعي sudani سوداني
darwish درويش barakat بركات barghuthi برغوثي awda/uda عودة qasimi قاسمي nahyan نهيان maktum مكتوم thani ثاني khalifa خليفة
sadat سادات nasiri ناصري sisi سيسي ghali غالي mahfuz محفوظ fayad فياض qabani قباني maghribi مغربي jundi جندي wazir وزير
shaykh شيخ haj حاج muhammadi محمدي ahmadi أحمدي karimi كريمي muradi مرادي jafari جعفري rahimi رحيمي akbari أكبري
sadiqi صادقي ibrahimi إبراهيمي salimi سليمي hakimi حكيمي rashidi رشيدي sharifi شريفي amiri أميري amiri عامري
`;

/** Pairs of the Arabic spelling and the vowelled Latin form. */
export function arabicNames(): readonly (readonly [string, string])[] {
  const words = names.trim().split(/\s+/);
  return words.flatMap((vowelled, at) =>
    at % 2 === 1 ? [] : vowelled.split('/').map((latin) => [words[at + 1] ?? '', latin] as const),
  );
}
