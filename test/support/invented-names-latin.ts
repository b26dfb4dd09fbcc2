/** Names of one origin, the most frequent first. `_` is a space within a name; `=` separates the registered form and its Latin form. */
export type InventedNames = { readonly given: string; readonly family: string };

/** The names of origins whose registers use Latin letters. */
export const latinNames = {
  english: {
    given: `Oliver Amelia George Olivia Harry Emily Jack Jessica Thomas Sophie James Charlotte William Grace Daniel Lucy
      Matthew Hannah Samuel Alice Edward Megan Christopher Rebecca Andrew Laura Richard Victoria Stephen Elizabeth Peter
      Margaret Robert Susan Graham Heather Nigel Deborah Timothy Gillian Benjamin Rosemary Alexander Katherine Jonathan
      Eleanor Dominic Bethany Callum Abigail Gareth Fiona Ian Claire Keith Wendy Trevor Hazel Malcolm Beatrice`,
    family: `Smith Jones Taylor Brown Williams Wilson Johnson Davies Patterson Wright Walker Thompson Roberts Robinson
      Edwards Hughes Green Hall Lewis Harris Clarke Jackson Turner Cooper Hill Ward Morris Moore Clark Lee King Baker
      Harrison Morgan Allen Scott Watson Parker Bennett Richardson Shaw Collins Marshall Simpson Bailey Chapman Foster
      Graham Fletcher Holloway Whitaker Armstrong Pemberton Sutherland Ashworth Nightingale Crowther Blackwood Winterbourne
      Longbottom`,
  },
  german: {
    given: `Peter Ursula Michael Monika Thomas Petra Andreas Elisabeth Wolfgang Sabine Klaus Renate Jürgen Helga Stefan
      Karin Christian Brigitte Uwe Ingrid Werner Erika Markus Susanne Horst Gisela Matthias Claudia Heinz Angelika
      Günther Heike Bernd Gabriele Sebastian Katharina Tobias Franziska Florian Johanna Maximilian Anneliese Friedrich
      Charlotte Jörg Ulrike Dieter Sigrid Rüdiger Hannelore Manfred Birgit Gerhard Stefanie Lukas Lena Felix Mia Jonas Greta`,
    family: `Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein
      Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Lehmann Köhler
      Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich
      Keller Günther Frank Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Dreyer von_Hagen`,
  },
  french: {
    given: `Jean Marie Pierre Nathalie Michel Isabelle Philippe Sylvie Alain Catherine Nicolas Françoise Christophe
      Martine Patrick Christine Julien Valérie Laurent Sandrine Stéphane Véronique Frédéric Céline Thierry Stéphanie
      Olivier Sophie Sébastien Delphine Guillaume Aurélie Alexandre Émilie Antoine Camille Vincent Chloé Maxime Manon
      Jérôme Élodie Thibault Mathilde Benoît Hélène Gérard Monique Rémi Océane Bertrand Geneviève Hugo Inès Lucas Jade
      Jean-Paul Anne-Sophie Jean-Luc Marie-Claude`,
    family: `Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefebvre Leroy Roux David
      Bertrand Morel Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Vincent Muller Lefèvre Faure André Mercier
      Blanc Guérin Boyer Garnier Chevalier François Legrand Gauthier Garcia Perrin Robin Clément Morin Nicolas Henry
      Roussel Mathieu Gautier Masson Marchand Duval Denis Dumont Lemaire Noël Meyer Dufour de_La_Tour Le_Goff`,
  },
  spanish: {
    given: `Antonio María Manuel Carmen José Ana Francisco Isabel David Dolores Juan Pilar Javier Teresa Daniel Rosa
      Carlos Cristina Jesús Lucía Alejandro Marta Miguel Elena Rafael Mercedes Pedro Raquel Ángel Concepción Pablo Beatriz
      Fernando Silvia Sergio Rocío Luis Paula Jorge Encarnación Alberto Montserrat Álvaro Inmaculada Adrián Nuria Diego
      Yolanda Enrique Verónica Ramón Julia Vicente Consuelo Iván Patricia Gonzalo Sofía Rubén Alba`,
    family: `García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Hernández Ruiz Díaz
      Moreno Muñoz Álvarez Romero Gutiérrez Alonso Navarro Torres Domínguez Ramos Vázquez Ramírez Gil Serrano Morales
      Molina Blanco Suárez Castro Ortega Delgado Ortiz Marín Rubio Núñez Medina Sanz Castillo Iglesias Cortés Garrido
      Santos Guerrero Lozano Cano Cruz Méndez Flores Prieto Herrera Peña León Márquez Cabrera Gallego Calvo`,
  },
  brazilian: {
    given: `José Maria João Ana Antônio Francisca Francisco Antônia Carlos Adriana Paulo Juliana Pedro Márcia Lucas
      Fernanda Luiz Patrícia Marcos Aline Luís Sandra Gabriel Camila Rafael Amanda Daniel Bruna Marcelo Jéssica Bruno
      Letícia Eduardo Júlia Felipe Luciana Raimundo Vanessa Rodrigo Mariana Manoel Gabriela Mateus Vera André Vitória
      Fernando Larissa Fábio Cláudia Leonardo Beatriz Gustavo Rita Guilherme Luana Leandro Sônia Tiago Renata`,
    family: `Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida
      Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas
      Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto Melo Cavalcante Monteiro Moura Correia Batista Campos Azevedo
      Cunha Castro Borges Farias Siqueira Brito Macedo Rezende Peixoto Figueiredo Guimarães Coelho Bezerra Sampaio Tavares`,
  },
  polish: {
    given: `Piotr Anna Krzysztof Katarzyna Andrzej Małgorzata Tomasz Agnieszka Paweł Barbara Jan Ewa Michał Krystyna
      Marcin Magdalena Stanisław Elżbieta Jakub Joanna Adam Aleksandra Marek Zofia Łukasz Monika Grzegorz Teresa Mateusz
      Danuta Wojciech Natalia Mariusz Karolina Dariusz Marta Zbigniew Julia Maciej Beata Rafał Dorota Robert Halina Kamil
      Jadwiga Jacek Janina Dawid Alicja Szymon Jolanta Kacper Grażyna Ryszard Iwona Bartosz Irena Sławomir Paulina`,
    family: `Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski
      Mazur Jankowski Kwiatkowski Wojciechowski Krawczyk Kaczmarek Piotrowski Grabowski Pawłowski Michalski Król Wieczorek
      Jabłoński Wróbel Nowakowski Majewski Olszewski Stępień Malinowski Jaworski Adamczyk Dudek Nowicki Pawlak Górski
      Witkowski Sikora Walczak Baran Rutkowski Michalak Szewczyk Ostrowski Tomaszewski Pietrzak Zalewski Wróblewski
      Marciniak Jasiński Zawadzki Bąk Jakubowski Sadowski Duda Włodarczyk Wilk Chmielewski Borkowski`,
  },
  hungarian: {
    given: `László Mária István Erzsébet József Katalin Zoltán Ilona János Éva Sándor Anna Gábor Zsuzsanna Ferenc Margit
      Attila Judit Péter Ágnes Tamás Andrea Zsolt Julianna Tibor Ildikó András Erika Csaba Krisztina Imre Irén Lajos
      Magdolna György Eszter Balázs Gabriella Gyula Piroska Mihály Mónika Károly Edit Róbert Szilvia Béla Tünde Dániel
      Anikó Ádám Gizella Krisztián Réka Norbert Nikolett Miklós Dóra Bence Boglárka`,
    family: `Nagy Kovács Tóth Szabó Horváth Varga Kiss Molnár Németh Farkas Balogh Papp Takács Juhász Lakatos Mészáros Oláh
      Simon Rácz Fekete Szilágyi Török Fehér Balázs Gál Szűcs Kocsis Pintér Fodor Orsós Szalai Sipos Magyar Lukács Gulyás
      Biró Király Katona László Jakab Bogdán Balog Sándor Boros Váradi Fazekas Kelemen Antal Somogyi Orosz Fülöp Vincze
      Veres Hegedűs Budai Deák Pap Bálint Illés Pál`,
  },
  turkish: {
    given: `Mehmet Fatma Mustafa Ayşe Ahmet Emine Ali Hatice Hüseyin Zeynep Hasan Elif İbrahim Meryem İsmail Şerife Osman
      Sultan Yusuf Hanife Murat Merve Ömer Özlem Ramazan Zehra Halil Havva Süleyman Yasemin Abdullah Songül Mahmut Dilek
      Recep Gülsüm Salih Esra Fatih Kübra Kadir Büşra Emre Rabia Hakan Hacer Adem Melek Kemal Cemile Yaşar Sevgi Bekir
      Hülya Musa Filiz Metin Tuğba Orhan Gamze`,
    family: `Yılmaz Kaya Demir Çelik Şahin Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan Çetin Kara Koç Kurt
      Özkan Şimşek Polat Korkmaz Çakır Erdoğan Yavuz Can Acar Güler Yalçın Aktaş Güneş Bozkurt Bulut Keskin Ünal Turan
      Gül Özer Işık Kaplan Avcı Sarı Tekin Taş Köse Yüksel Ateş Aksoy Uçar Karakaya Coşkun Kocaman Başaran Gökçe Sönmez
      Duman Tunç Karaca Bilgin Erdem`,
  },
  indian: {
    given: `Rajesh Sunita Suresh Anita Ramesh Geeta Sanjay Lakshmi Vijay Kavita Anil Priya Manoj Rekha Ashok Meena Rakesh
      Asha Amit Pooja Sunil Savita Mukesh Usha Deepak Neha Vinod Shanti Arun Seema Pradeep Nisha Ravi Jyoti Mahesh Radha
      Dinesh Shobha Rahul Divya Santosh Kamala Ajay Swati Prakash Padma Ganesh Vandana Krishna Sarita Venkatesh Parvati
      Harish Bhavana Gurpreet Manjula Imran Farida Senthil Revathi`,
    family: `Kumar Sharma Singh Patel Gupta Devi Reddy Yadav Verma Das Joshi Nair Mishra Iyer Jain Mehta Rao Khan Shah
      Chaudhary Agarwal Pandey Pillai Patil Desai Kulkarni Chatterjee Mukherjee Banerjee Ghosh Bose Sen Dutta Menon Naidu
      Thakur Chauhan Rathore Tiwari Dubey Shukla Trivedi Saxena Srivastava Bhatt Bhatia Kapoor Malhotra Khanna Sethi
      Gill Dhillon Sandhu Gowda Shetty Hegde Kaur Ansari Sheikh Subramaniam`,
  },
  yoruba: {
    given: `Oluwaseun Folasade Babatunde Yetunde Olumide Titilayo Adebayo Funmilayo Kayode Abimbola Temitope Omolara Ayodele
      Bukola Oluwole Adenike Segun Ronke Tunde Morenike Femi Simisola Olusegun Bolanle Taiwo Kehinde Adewale Ifeoluwa
      Gbenga Damilola Rotimi Omotola Ayotunde Folake Oladipo Modupe Akinwale Aderonke Idowu Olabisi Olayinka Iyabo Dele
      Toyin Sunday Blessing Emmanuel Grace Samuel Esther Yemi Kemi Wale Bisi Lekan Sade Oyekan Ayo Niyi Tolu`,
    family: `Adeyemi Ogunleye Afolabi Balogun Adebayo Okonjo Olawale Ogunbanjo Akinyemi Oyelaran Fashola Adesina Babalola
      Oladele Ajayi Bamidele Olatunji Adewumi Salami Lawal Oyedepo Aderibigbe Owolabi Olaniyan Alabi Odunsi Ayodeji
      Fagbemi Olorunfemi Adekunle Ogundipe Akande Oyewole Popoola Adeleke Olowu Soyinka Makinde Ojo Bello Akinola Sowande
      Abiola Oni Adeoye Ige Dada Osho Ayinde Egbetokun Falana Odukoya Olagunju Oyinlola Akintola Ademola Shonibare
      Ogunlesi Idowu Ayeni`,
  },
  vietnamese: {
    given: `Anh Hương Hùng Lan Tuấn Hoa Dũng Mai Minh Thảo Hải Linh Nam Nga Sơn Hạnh Long Hà Thắng Thu Quang Phương Đức
      Trang Cường Ngọc Bình Thủy Trung Yến Hoàng Loan Phong Oanh Khoa Nhung Việt Tuyết Huy Vân Thành Hiền Tùng Dung
      Kiên Liên Đạt Xuân Phúc Châu Tâm My Lâm Quỳnh Hiếu Trinh Khánh Diễm Vinh Bích`,
    family: `Nguyễn Trần Lê Phạm Hoàng Huỳnh Phan Vũ Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Đào Đoàn Vương Trịnh Trương Đinh Lâm
      Phùng Mai Tô Hà Tạ Cao Lưu Châu Thái Quách Chu Tăng Nghiêm Kiều La Khổng Doãn Lương Bạch Tống Văn Diệp Đàm Hứa
      Triệu Giang Cù Lục Mạc Thạch Kim Ninh Viên Âu Ông Tôn Khương`,
  },
} as const satisfies Readonly<Record<string, InventedNames>>;
