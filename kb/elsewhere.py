"""Fields that this library does not hold: other trades, daily life, chatter, commands to a machine.

A question nearer to these sentences than to any case tends to the verdict `none`, however many words it shares with
a case by chance. A line names a field, as a catalogue of trades would, tools of which many people ask, as a survey of
developers would, or what goes wrong in daily life, in both languages. None is written after a question of `tests/eval`;
who wrote them had seen these questions, though, but for those of `verdicts.yaml` that are new. Some fields are left out
on purpose, so that `none_fresh.yaml` there measures what is not named.
"""

_ENGLISH = """
administering a relational database: schemas, tables, joins and stored procedures
tuning queries, keys and execution in MySQL, PostgreSQL, Oracle or SQL Server
document, graph and time series databases and how their data are modelled
a data warehouse, reports and dashboards for business figures
full-text search engines and their analysers
message queues and event streams between applications
programming in Java, Kotlin or Scala and their build tools
programming in C, C++ or Assembler
programming in C# and .NET
programming in PHP, Perl or Ruby
programming in Go or Swift
Python scripts, packages and notebooks for a beginner
JavaScript and TypeScript in the browser
components and state in a frontend framework
backend frameworks for web applications, their models and templates
style sheets, layout and fonts of a web page
bundling, packing and testing frontend code
apps for Android and iOS, their stores and notifications
programs for the desktop and their windows
object-oriented design, patterns and clean code
algorithms, data structures and complexity
regular expressions, dates and character encodings in code
unit tests and code review
version control, branches and merging
build servers, pipelines and releases of a software project
editors, shortcuts and plug-ins for programming
writing infrastructure as code and moving its state
configuration management of office and company servers
virtual machines and hypervisors of a company
storage arrays and backup software of a company
user accounts, rights and policies in a company's directory
mail servers, newsletters and spam filters
content management systems, blogs and shops
buying domains and web hosting
desktop computers, laptops and their drivers
Windows, its settings and its errors
office suites, text processing and slides
spreadsheets, formulas and macros
phones, tablets and headphones
television sets, cameras and household electronics
routers, Wi-Fi and internet access at home and in the office
network equipment for an office, cabling and access control
smart homes and hobby electronics
accounting, payroll and enterprise planning software
software for customers, sales and support
licences, prices and contracts for software
cost of cloud services and discounts
comparing products before buying
certificates of vendors, courses and exams for administrators
blockchains, coins and wallets
statistics, surveys and probability for a study
machine learning for a beginner, which course to take
mathematics, geometry and proofs
physics and chemistry
biology, evolution and genetics
astronomy and space travel
philosophy, ethics and logic
religion and faith
psychology and behaviour
history and archaeology
geography, capitals and countries
languages, grammar and vocabulary
literature and novels
a poem, a riddle, a joke or a story
music, instruments and concerts
films, series and actors
video games and board games
painting, museums and design
photography and editing of pictures and videos
architecture and construction of houses
news and politics, parties and elections
the economy, trade and unemployment
shares, funds and interest rates
bank accounts, loans and credit cards
taxes and pensions
insurance and claims
renting, buying and moving house
furniture and repairs at home
household machines that wash, cool or clean
cleaning and laundry
cars, motorcycles and driving
bicycles and walking
trains, buses and timetables
flights, hotels and visas
sights, beaches and mountains for a holiday
the weather, rain and temperatures
natural disasters and the climate
pets and other animals
babies, children and parents
love, marriage and friendship
fashion, hair and cosmetics
shopping, presents and delivery of a parcel
restaurants and going out
school, homework and teachers
university, theses and scholarships
applying for a job, a curriculum vitae and interviews
salary, promotion and leaving a company
conflicts with colleagues and a boss
founding a company and marketing
the army and the police
famous people and their lives
writing a letter, a speech or an essay
translating or correcting a sentence
good morning, how are you
thank you, goodbye, well done
who are you and what can you do
telling the assistant to forget its rules and to obey
asking the assistant to play a role without limits
asking for passwords, secrets and hidden instructions
telling the machine to erase all its data
a snippet of markup or of a query that is meant to be executed
MySQL and MariaDB servers and their tables
PostgreSQL settings and extensions
Microsoft SQL Server and T-SQL
Oracle Database and PL/SQL
SQLite in an application
MongoDB collections and queries
Elasticsearch and OpenSearch indices and mappings
DynamoDB, Firestore and other cloud databases
BigQuery, Snowflake and dbt
Neo4j and graph queries
Kafka topics, producers and consumers
RabbitMQ and ActiveMQ
Spark, Hadoop and Hive jobs
Tableau and Power BI
pandas and Jupyter notebooks
MATLAB and R
Spring Boot, Hibernate and JPA
Maven and Gradle
ASP.NET and Entity Framework
Django and Flask
Ruby on Rails
Laravel and Symfony
Node.js, Express and npm
React and Next.js
Angular
Vue and Nuxt
jQuery
webpack and Vite
Tailwind and Bootstrap
Android Studio and Jetpack
Xcode, SwiftUI and Objective-C
Flutter and React Native
Terraform modules, providers and state
Ansible, Puppet and Chef
Jenkins, CircleCI and GitHub Actions
Git and GitHub
Visual Studio Code and IntelliJ
WordPress, Drupal and Shopify
Active Directory and group policy
Exchange, Outlook and Office 365
VMware vSphere, Hyper-V and Citrix
Excel, Word and PowerPoint
Photoshop, Illustrator and Figma
SharePoint, Jira and Confluence
Salesforce and ServiceNow
Cisco and Juniper devices and certification
Bitcoin, Ethereum and NFT
a car engine, tyres or brakes that need repair
a motorcycle or bicycle chain that slips
a train, bus or flight that is late or cancelled
queues at airport security and border control
lost luggage and tickets
a passport, visa or driving licence to renew
birth, marriage and gift certificates
a bank account that is locked, online banking
losses on shares, funds and coins
prices of houses, rents and mortgages
marks at school, exams and grades
a child that does not learn well
a dog that does not eat or a cat that is ill
a phone whose battery drains or whose screen is broken
an application on the phone that closes or sends no notifications
photographs, contacts and chats that were deleted
a laptop or gaming computer that is hot or slow
parts for a computer, how much memory and which graphics card
games that lag, levels, saves and characters
a television, speaker or headphone that stays silent
a dishwasher, washing machine or refrigerator that leaks
heating, air conditioning and hot water at home
a door lock, a key or a light that does not work
waiters, shops and deliveries that are late
a parcel that did not come and a refund
spreadsheets with a wrong sum, text with a wrong layout
an e-mail account, a password for a website
videos, channels and followers on the internet
friends, contacts and a network for a career
staff that quit, shifts and holidays
a web page whose style or script does not show
lists, pointers and recursion in an exercise
hooks, components and rendering in the browser
tables, indexes and queries in an application's database
"""
_KOREAN = """
관계형 데이터베이스의 테이블 설계와 쿼리 성능
데이터베이스 제품별 설정과 이관
문서형 데이터베이스와 시계열 데이터베이스의 모델링
데이터 웨어하우스와 업무 보고서
검색 엔진과 형태소 분석
애플리케이션 사이의 메시지 큐와 이벤트 스트림
자바와 코틀린 프로그래밍과 빌드 도구
씨와 씨플러스플러스 프로그래밍
파이썬과 자바스크립트 입문
프론트엔드 컴포넌트와 화면 상태
백엔드 웹 프레임워크와 객체 매핑
웹 페이지 글꼴과 배치
안드로이드와 아이폰 앱 개발과 스토어 등록
알고리즘과 자료 구조
객체 지향 설계와 테스트 작성
버전 관리와 빌드 서버
개발 도구 단축키와 플러그인
인프라 코드 작성과 상태 파일
회사 서버의 가상화와 백업 소프트웨어
회사 계정과 권한 정책
메일 서버와 스팸
쇼핑몰과 블로그 만들기
윈도우 컴퓨터와 노트북 오류
문서 작성과 발표 자료 프로그램
스프레드시트 수식과 자동화
휴대폰과 이어폰과 텔레비전
가정과 사무실의 인터넷과 무선 공유기
사무실 네트워크 장비와 인증
회계와 급여와 영업 프로그램
소프트웨어 라이선스와 구매 가격
클라우드 요금과 할인
제품 비교와 추천
자격증과 시험 준비
가상화폐와 지갑
통계와 설문 조사
수학과 물리와 화학
생물과 우주
철학과 종교와 심리
역사와 지리
외국어와 맞춤법
소설과 시와 농담
음악과 악기와 공연
영화와 드라마와 연예인
게임과 보드게임
사진과 그림과 디자인
정치와 선거와 뉴스
경제와 주식과 펀드
은행과 대출과 카드
세금과 연금과 보험
집을 사거나 빌리거나 이사하는 일
가구와 집수리와 청소
세탁기와 냉장고 같은 가전제품
자동차와 운전
기차와 버스와 지하철 시간
비행기와 호텔과 여행지
날씨와 기온과 미세먼지
반려동물과 동물
아기와 아이와 부모
연애와 결혼과 친구
옷과 머리와 화장품
쇼핑과 선물과 택배
식당과 외식과 메뉴 고르기
학교와 숙제와 선생님
대학교와 논문과 장학금
입사 지원서와 면접
연봉과 승진과 퇴사
직장 상사와 동료와의 갈등
창업과 마케팅
군대와 경찰
편지와 연설문과 글쓰기
문장을 번역하거나 고치는 일
안녕하세요, 반갑습니다
감사합니다, 안녕히 계세요
너는 누구이고 무엇을 할 수 있니
규칙을 잊고 시키는 대로 하라는 지시
제한 없는 역할을 맡으라는 요구
비밀번호와 숨은 지침을 알려 달라는 요구
데이터를 모두 지우라는 명령
마이에스큐엘과 마리아디비
포스트그레스 설정
MSSQL
오라클 데이터베이스와 PL/SQL
몽고디비 컬렉션과 쿼리
엘라스틱서치 색인과 매핑
카프카 토픽과 컨슈머
래빗엠큐 큐
스파크와 하둡 작업
스프링 부트와 JPA
메이븐과 그래들
장고와 플라스크
노드와 npm
리액트와 넥스트
뷰와 앵귤러
안드로이드 스튜디오
엑스코드와 스위프트
플러터 앱
테라폼 모듈과 상태
앤서블 플레이북
젠킨스 파이프라인
깃과 깃허브
워드프레스
액티브 디렉터리
아웃룩과 오피스
브이엠웨어
엑셀과 파워포인트
포토샵과 일러스트레이터와 피그마
비트코인과 이더리움
자동차 타이어와 엔진과 브레이크 고장
오토바이와 자전거 수리
기차와 버스와 비행기의 지연과 취소
공항 검색대와 출입국 심사 줄
잃어버린 수하물과 표
여권과 비자와 운전면허증의 갱신
혼인과 출생과 가족 관계 증명서
은행 계좌와 통장 잔액과 인터넷뱅킹
공동인증서와 본인 인증
주식과 코인 투자의 손실
집값과 전세와 월세
매출과 손님이 줄어든 가게
학교 성적과 시험 점수와 등수
공부에 집중하지 못하는 아이
강아지와 고양이의 식욕과 건강
발과 옷의 치수
휴대폰 배터리와 화면 고장
휴대폰 앱의 알림과 오류
지운 사진과 연락처와 대화의 복구
노트북과 게임용 컴퓨터의 발열과 속도
컴퓨터 부품과 메모리와 그래픽카드 추천
게임 서버 점검과 접속
게임 저장 위치와 공략
텔레비전과 스피커와 이어폰 소리
세탁기와 식기세척기와 냉장고 고장
에어컨과 보일러와 온수
현관문 비밀번호와 도어락
늦게 오는 배달과 택배
상품 환불과 쿠폰 기간
엑셀 합계와 한글 문서 열기
포털과 카카오톡 계정 비밀번호
유튜브 채널과 구독자와 영상
인맥과 모임과 동호회
아르바이트와 직원의 퇴사
전단지와 홍보물 나눠 주기
취업할 회사와 지역 산업 단지
부동산 개발과 투자 전망
웹 페이지의 모양과 스크립트
리액트 훅과 화면 다시 그리기
연습 문제의 연결 리스트와 재귀
애플리케이션 데이터베이스의 표와 쿼리
연예인 소식과 방송 시간
수업과 학습지와 학원
보험 청구와 보상
"""
TEXTS = tuple(line for line in (_ENGLISH + _KOREAN).splitlines() if line)
