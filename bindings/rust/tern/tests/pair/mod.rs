//! A host and a guest whose datagrams are handed over at once, in virtual time.

#![allow(dead_code)] // Each test program uses a part of it.

use tern::{
    tern_type, types, Address, Admission, Config, Datagram, Event, ObjectId, Orphan, PeerId,
    Quaternion, Session, State, Text, TypeTable,
};

tern_type! {
    "ball" { objects_max: 200, orphan: Orphan::Spread }
    #[derive(Debug, Default, PartialEq)]
    pub struct Ball {
        pub x: f32 { min: -500.0, max: 500.0, step: 0.01 },
        pub spin: Quaternion,
        pub tag: Text<8>,
        pub awake: bool,
        pub grid: [i8; 3],
        pub speed: [f32; 3] { name: "velocity" },
        pub target: ObjectId<Ball>,
        pub thrower: PeerId,
        pub blob: [u8; 4],
        pub seen: u64,
    }
}

tern_type! {
    "asked" { objects_max: 10, claim: tern::ClaimPolicy::AskGame }
    #[derive(Default)]
    pub struct Asked {
        pub number: i32,
    }
}

tern_type! {
    "twin" { objects_max: 10 } // It has the size of Asked.
    pub struct Twin {
        pub number: u32,
    }
}

tern_type! {
    "shout"
    pub struct Shout {
        pub words: Text<32>,
    }
}

tern_type! {
    "length"
    pub struct Length {
        pub number: i32,
    }
}

pub fn all_types() -> [TypeTable; 5] {
    types![Ball, Asked, Twin, Shout, Length]
}

pub fn shout(words: &str) -> Shout {
    Shout { words: words.into() }
}

pub struct Pair {
    pub host: Session,
    pub guest: Session,
    now_us: u64,
    to_host: Vec<Vec<u8>>,
    to_guest: Vec<Vec<u8>>,
}

const HOST_PORT: u16 = 1;
const GUEST_PORT: u16 = 2;

/// One tick of a session: takes what has arrived, and returns what it sends.
fn tick(
    session: &mut Session,
    other_port: u16,
    arrived: &mut Vec<Vec<u8>>,
    now_us: u64,
    act: &mut dyn FnMut(&Session, Event),
) -> Vec<Vec<u8>> {
    let sender = Address::loopback(other_port);
    let datagrams: Vec<_> = arrived.iter().map(|bytes| Datagram::new(sender, bytes)).collect();
    session.receive(&datagrams, now_us).unwrap();
    arrived.clear();
    for event in session.events() {
        act(session, event);
    }
    let sent = session.send(now_us).unwrap();
    assert!(sent.iter().all(|datagram| datagram.address() == sender));
    sent.iter().map(|datagram| datagram.bytes().to_vec()).collect()
}

impl Pair {
    pub fn new(admission: Admission) -> Self {
        let config = |name: &str| Config { name: name.into(), admission, ..Config::default() };
        let mut host = Session::new(config("ada"), &all_types()).unwrap();
        let mut guest = Session::new(config("ben"), &all_types()).unwrap();
        host.start().unwrap();
        let invite = host.make_invite(&[Address::loopback(HOST_PORT)]).unwrap();
        guest.join(&invite.to_string().parse().unwrap(), b"let me in").unwrap();
        Self { host, guest, now_us: 0, to_host: Vec::new(), to_guest: Vec::new() }
    }

    pub fn open() -> Self {
        let mut pair = Self::new(Admission::Always);
        pair.until(|pair| pair.guest.state() == State::Open);
        pair
    }

    pub fn tick(&mut self, act: &mut dyn FnMut(&Session, Event)) {
        self.now_us += 16_667;
        let sent = tick(&mut self.host, GUEST_PORT, &mut self.to_host, self.now_us, act);
        self.to_guest.extend(sent);
        let sent = tick(&mut self.guest, HOST_PORT, &mut self.to_guest, self.now_us, act);
        self.to_host.extend(sent);
    }

    pub fn until(&mut self, condition: impl Fn(&Self) -> bool) {
        for _ in 0..600 {
            if condition(self) {
                return;
            }
            self.tick(&mut |_, _| {});
        }
        panic!("it did not happen in ten seconds");
    }

    /// Goes on until `find` gives something for an event.
    pub fn wait<T>(&mut self, find: impl Fn(&Session, Event) -> Option<T>) -> T {
        for _ in 0..600 {
            let mut found = None;
            self.tick(&mut |session, event| found = found.take().or_else(|| find(session, event)));
            if let Some(found) = found {
                return found;
            }
        }
        panic!("it did not happen in ten seconds");
    }
}
