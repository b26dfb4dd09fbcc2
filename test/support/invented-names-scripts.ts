import type { InventedNames } from './invented-names-latin.ts';

/** The names of origins with their own script, each with a usual spelling in Latin letters. */
export const scriptNames = {
  russian: {
    given: `Александр=Aleksandr Елена=Elena Сергей=Sergey Татьяна=Tatiana Владимир=Vladimir Наталья=Natalia Андрей=Andrey
      Ольга=Olga Алексей=Aleksey Анна=Anna Дмитрий=Dmitry Мария=Maria Николай=Nikolay Ирина=Irina Михаил=Mikhail
      Светлана=Svetlana Юрий=Yuri Екатерина=Ekaterina Евгений=Evgeny Анастасия=Anastasia Виктор=Viktor Юлия=Yulia
      Игорь=Igor Людмила=Lyudmila Иван=Ivan Галина=Galina Павел=Pavel Валентина=Valentina Максим=Maksim Надежда=Nadezhda
      Роман=Roman Марина=Marina Денис=Denis Лариса=Larisa Артём=Artem Дарья=Daria Олег=Oleg Вера=Vera Константин=Konstantin
      Оксана=Oksana Кирилл=Kirill Алина=Alina Василий=Vasily Ксения=Ksenia Григорий=Grigory Полина=Polina Никита=Nikita
      Тамара=Tamara Вячеслав=Vyacheslav Раиса=Raisa`,
    family: `Иванов=Ivanov Смирнов=Smirnov Кузнецов=Kuznetsov Попов=Popov Васильев=Vasiliev Петров=Petrov Соколов=Sokolov
      Михайлов=Mikhailov Новиков=Novikov Фёдоров=Fedorov Морозов=Morozov Волков=Volkov Алексеев=Alekseev Лебедев=Lebedev
      Семёнов=Semenov Егоров=Egorov Павлов=Pavlov Козлов=Kozlov Степанов=Stepanov Николаев=Nikolaev Орлов=Orlov
      Андреев=Andreev Макаров=Makarov Никитин=Nikitin Захаров=Zakharov Зайцев=Zaitsev Соловьёв=Soloviev Борисов=Borisov
      Яковлев=Yakovlev Григорьев=Grigoriev Романов=Romanov Воробьёв=Vorobyov Сергеев=Sergeev Кузьмин=Kuzmin Фролов=Frolov
      Александров=Aleksandrov Дмитриев=Dmitriev Королёв=Korolev Гусев=Gusev Киселёв=Kiselev Ильин=Ilyin Максимов=Maksimov
      Поляков=Polyakov Сорокин=Sorokin Виноградов=Vinogradov Ковалёв=Kovalev Белов=Belov Медведев=Medvedev
      Щербаков=Shcherbakov Журавлёв=Zhuravlev`,
  },
  hebrew: {
    given: `משה=Moshe שרה=Sarah יוסף=Yosef אסתר=Esther דוד=David רחל=Rachel אברהם=Avraham מרים=Miriam יעקב=Yaakov חנה=Hannah
      יצחק=Yitzhak רבקה=Rivka דניאל=Daniel לאה=Leah חיים=Haim נועה=Noa שמואל=Shmuel תמר=Tamar אליהו=Eliyahu מיכל=Michal
      שלמה=Shlomo יעל=Yael מאיר=Meir רונית=Ronit אורי=Uri דליה=Dalia יהודה=Yehuda אורלי=Orly רפאל=Rafael שושנה=Shoshana
      גדעון=Gideon ענת=Anat עמית=Amit אילנה=Ilana נתן=Natan גליה=Galia איתן=Eitan שירה=Shira רון=Ron טליה=Talia
      יונתן=Yonatan מאיה=Maya נדב=Nadav הילה=Hila צבי=Zvi עדי=Adi אהרן=Aharon דבורה=Dvora אריה=Aryeh ציפורה=Tzipora`,
    family: `כהן=Cohen לוי=Levi מזרחי=Mizrahi פרץ=Peretz ביטון=Biton דהן=Dahan אברהם=Avraham פרידמן=Friedman מלכה=Malka
      אזולאי=Azoulay כץ=Katz יוסף=Yosef דוד=David עמר=Amar אוחיון=Ohayon חדד=Hadad גבאי=Gabay אדרי=Edri לוין=Levin
      טל=Tal קליין=Klein שפירא=Shapira חזן=Hazan משה=Moshe אשכנזי=Ashkenazi אוחנה=Ohana סגל=Segal סויסה=Suissa
      גולן=Golan רוזנברג=Rosenberg שחר=Shahar ברק=Barak שרון=Sharon אלון=Alon וייס=Weiss רוזן=Rosen הלוי=Halevi
      ברגר=Berger נחום=Nahum רביבו=Revivo יעקובי=Yaakobi בכר=Bachar שמש=Shemesh צרפתי=Tzarfati אלקיים=Elkayam
      גרינברג=Greenberg שטרן=Stern הרשקוביץ=Hershkovitz זילברמן=Zilberman נגר=Nagar`,
  },
  arabic: {
    given: `محمد=Mohammed فاطمة=Fatima أحمد=Ahmed مريم=Mariam علي=Ali عائشة=Aisha حسن=Hassan زينب=Zainab حسين=Hussein
      خديجة=Khadija محمود=Mahmoud نور=Nour إبراهيم=Ibrahim سارة=Sara يوسف=Youssef ليلى=Layla عمر=Omar هدى=Huda خالد=Khaled
      أمينة=Amina مصطفى=Mustafa سعاد=Souad عبدالله=Abdullah نادية=Nadia سعيد=Said سميرة=Samira كريم=Karim رانيا=Rania
      طارق=Tariq هالة=Hala حمزة=Hamza سلمى=Salma ياسر=Yasser دينا=Dina سامي=Sami إيمان=Iman وليد=Walid منى=Mona
      رشيد=Rashid جميلة=Jamila عادل=Adel نجلاء=Naglaa فيصل=Faisal أسماء=Asma بلال=Bilal سناء=Sanaa جمال=Jamal
      وفاء=Wafaa زياد=Ziad حليمة=Halima`,
    family: `الحسن=Al-Hassan المصري=Al-Masri أحمد=Ahmed محمد=Mohammed علي=Ali حسن=Hassan إبراهيم=Ibrahim خليل=Khalil
      منصور=Mansour السيد=El-Sayed حداد=Haddad نصر=Nasr صالح=Saleh عباس=Abbas حمدان=Hamdan النجار=Al-Najjar
      الشامي=Al-Shami قاسم=Qasim عثمان=Othman الخطيب=Al-Khatib سليمان=Suleiman درويش=Darwish عيسى=Issa فارس=Fares
      بكر=Bakr العلي=Al-Ali حمود=Hammoud زيدان=Zidan شاهين=Shaheen مراد=Murad رمضان=Ramadan البغدادي=Al-Baghdadi
      شريف=Sharif سالم=Salem الطيب=Al-Tayeb كنعان=Kanaan جابر=Jaber عوض=Awad الزهراني=Al-Zahrani بركات=Barakat
      نعيم=Naim العمري=Al-Omari الدوسري=Al-Dosari توفيق=Tawfiq حجازي=Hijazi الفاسي=Al-Fassi بن_علي=Ben_Ali زكريا=Zakaria
      غانم=Ghanem الرشيد=Al-Rashid`,
  },
  chinese: {
    given: `伟=Wei 芳=Fang 秀英=Xiuying 娜=Na 敏=Min 静=Jing 丽=Li 强=Qiang 磊=Lei 军=Jun 洋=Yang 勇=Yong 艳=Yan 杰=Jie
      娟=Juan 涛=Tao 明=Ming 超=Chao 秀兰=Xiulan 霞=Xia 平=Ping 刚=Gang 桂英=Guiying 文=Wen 浩然=Haoran 子涵=Zihan
      欣怡=Xinyi 宇轩=Yuxuan 雨桐=Yutong 梓萱=Zixuan 建国=Jianguo 建华=Jianhua 志强=Zhiqiang 晓明=Xiaoming 小红=Xiaohong
      海燕=Haiyan 丽华=Lihua 国强=Guoqiang 淑珍=Shuzhen 玉兰=Yulan 俊杰=Junjie 思远=Siyuan 天宇=Tianyu 雪梅=Xuemei
      春梅=Chunmei 永强=Yongqiang 佳怡=Jiayi 一鸣=Yiming 嘉豪=Jiahao 晨=Chen`,
    family: `王=Wang 李=Li 张=Zhang 刘=Liu 陈=Chen 杨=Yang 黄=Huang 赵=Zhao 吴=Wu 周=Zhou 徐=Xu 孙=Sun 马=Ma 朱=Zhu 胡=Hu
      郭=Guo 何=He 林=Lin 高=Gao 罗=Luo 郑=Zheng 梁=Liang 谢=Xie 宋=Song 唐=Tang 许=Xu 韩=Han 邓=Deng 冯=Feng 曹=Cao
      彭=Peng 曾=Zeng 肖=Xiao 田=Tian 董=Dong 潘=Pan 袁=Yuan 蔡=Cai 蒋=Jiang 余=Yu 于=Yu 杜=Du 叶=Ye 程=Cheng 魏=Wei
      苏=Su 吕=Lü 丁=Ding 任=Ren 卢=Lu 姚=Yao 沈=Shen 钟=Zhong 姜=Jiang 崔=Cui 谭=Tan 陆=Lu 范=Fan 汪=Wang 欧阳=Ouyang`,
  },
  korean: {
    given: `민준=Min-jun 서연=Seo-yeon 지훈=Ji-hoon 지은=Ji-eun 현우=Hyun-woo 수진=Su-jin 성민=Sung-min 미경=Mi-kyung
      동현=Dong-hyun 은영=Eun-young 준호=Jun-ho 영희=Young-hee 상훈=Sang-hoon 혜진=Hye-jin 영수=Young-soo 지영=Ji-young
      정훈=Jung-hoon 미영=Mi-young 승현=Seung-hyun 유진=Yu-jin 도윤=Do-yun 하은=Ha-eun 예준=Ye-jun 지우=Ji-woo 건우=Gun-woo
      서현=Seo-hyun 우진=Woo-jin 민서=Min-seo 영호=Young-ho 순자=Soon-ja 영철=Young-chul 정숙=Jung-sook 광수=Kwang-soo
      경희=Kyung-hee 재현=Jae-hyun 소영=So-young 태영=Tae-young 나영=Na-young 기훈=Ki-hoon 다은=Da-eun 병철=Byung-chul
      보영=Bo-young 진우=Jin-woo 윤아=Yoon-a 철수=Chul-soo 수빈=Su-bin 훈=Hoon 진=Jin 현정=Hyun-jung 선미=Sun-mi`,
    family: `김=Kim 이=Lee 박=Park 최=Choi 정=Jung 강=Kang 조=Cho 윤=Yoon 장=Jang 임=Lim 한=Han 오=Oh 서=Seo 신=Shin 권=Kwon
      황=Hwang 안=Ahn 송=Song 전=Jeon 홍=Hong 유=Yoo 고=Ko 문=Moon 양=Yang 손=Son 배=Bae 백=Baek 허=Heo 남=Nam 심=Shim
      노=Noh 하=Ha 곽=Kwak 성=Sung 차=Cha 주=Joo 우=Woo 구=Koo 나=Na 민=Min 진=Jin 지=Ji 엄=Eom 채=Chae 원=Won 천=Chun
      방=Bang 공=Kong 현=Hyun 남궁=Namgung`,
  },
  japanese: {
    given: `翔太=Shota 陽子=Yoko 健太=Kenta 恵子=Keiko 大輔=Daisuke 裕子=Yuko 誠=Makoto 幸子=Sachiko 達也=Tatsuya 美穂=Miho
      浩=Hiroshi 由美子=Yumiko 直樹=Naoki 真由美=Mayumi 哲也=Tetsuya 智子=Tomoko 拓也=Takuya 久美子=Kumiko 和也=Kazuya
      明美=Akemi 学=Manabu 京子=Kyoko 修=Osamu 和子=Kazuko 茂=Shigeru 節子=Setsuko 隆=Takashi 洋子=Yoko 清=Kiyoshi
      美咲=Misaki 蓮=Ren 葵=Aoi 大翔=Hiroto 結衣=Yui 勇気=Yuki 愛=Ai 一郎=Ichiro 花子=Hanako 太郎=Taro 美香=Mika
      健一=Kenichi 直美=Naomi 勝=Masaru 彩=Aya 豊=Yutaka 千尋=Chihiro 進=Susumu 早紀=Saki 孝=Takashi 桜=Sakura`,
    family: `佐藤=Sato 鈴木=Suzuki 高橋=Takahashi 田中=Tanaka 伊藤=Ito 渡辺=Watanabe 山本=Yamamoto 中村=Nakamura
      小林=Kobayashi 加藤=Kato 吉田=Yoshida 山田=Yamada 佐々木=Sasaki 山口=Yamaguchi 松本=Matsumoto 井上=Inoue
      木村=Kimura 林=Hayashi 斎藤=Saito 清水=Shimizu 山崎=Yamazaki 森=Mori 池田=Ikeda 橋本=Hashimoto 阿部=Abe
      石川=Ishikawa 山下=Yamashita 中島=Nakajima 石井=Ishii 小川=Ogawa 前田=Maeda 岡田=Okada 長谷川=Hasegawa
      藤田=Fujita 後藤=Goto 近藤=Kondo 村上=Murakami 遠藤=Endo 青木=Aoki 坂本=Sakamoto 西村=Nishimura 福田=Fukuda
      太田=Ota 三浦=Miura 藤原=Fujiwara 岡本=Okamoto 松田=Matsuda 中川=Nakagawa 中野=Nakano 原田=Harada`,
  },
} as const satisfies Readonly<Record<string, InventedNames>>;
